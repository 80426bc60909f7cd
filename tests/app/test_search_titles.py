"""What people type who come with a thread of theirs: its title leads to an answer among the first three."""

import time

from components.pages.questions.entries import found, index

#: Held out: thirty questions from public threads, written down before the search was tuned; nothing was tuned on them.
#: Each as its title has it, with a few of the thread's words where the title says nothing; and the thread, on GitHub.
HELD_OUT = {
    "flashinfer-ai/flashinfer#528": "Runtime error with head dim 224",
    "tryonlabs/opentryon#49": "Why is dim_head set to 1 in self-attention and cross-attention?",
    "Project-MONAI/GenerativeModels#359": "ValueError: hidden_size should be divisible by num_heads",
    "Dao-AILab/flash-attention#392": "flash_attn_qkvpacked_func support for MQA/GQA",
    "idiap/fast-transformers#131": "Full Attention does not sum to 1",
    "lucidrains/denoising-diffusion-pytorch#265": "In attend.py, shouldn't the scale be different ?",
    "keras-team/tf-keras#412": "multi head attention layer problem: the param of this layer is 0",
    "lucidrains/MEGABYTE-pytorch#13": "Why your Attention impl use kv dimention dim_head instead of inner_dim?",
    "baaivision/EVA#81": "Why do you use separate linear projections for q,k,v?",
    "ibm-granite/granite-code-models#6": "Is softmax scaling optional?",
    "Kyubyong/transformer#55": 'why "split" to get multi-head?',
    "facebookresearch/detr#96": "Question about mask variable in transformer: is True in key_padding_mask filled with -inf?",
    "pytorch/pytorch#100326": "Flash attention currently doesn't support training with head_dim greater than 64 on sm86 or newer",
    "deepspeedai/DeepSpeed#3634": "[BUG] AssertionError: num_heads (52) must be divisible by mp_size (8)",
    "NVIDIA/apex#838": "How to load weights to MultiHeadAttention",
    "huggingface/transformers#8451": "config.attention_head_size for structured pruning out-of-box",
    "pytorch/pytorch#60445": "it seems n_heads is not handled correctly in nn.MultiheadAttention",
    "Taited/sgdiff#3": "How to do multi head attention, but the shape of q, k, and v is different?",
    "pytorch/pytorch#54128": "Dimension Configuration regarding MultiheadAttention: does the output have the shape of the query?",
    "Pang-Yatian/Point-MAE#24": "How to change embedding module output size? 512 is a shape error with 6 heads",
    "paiml/entrenar#262": "Qwen3-4B q_proj shape mismatch: head_dim*num_heads != hidden_size",
    "IcarusWizard/MAE#24": "Problem with embedding dimension: emb_dim must be a multiple of 192",
    "CyberZHG/keras-transformer#1": "Invalid head number 3 with the given input dim 128",
    "Xiaojiu-z/EasyControl#3": "What is the lora rank? are only training params qkv's lora param?",
    "Dao-AILab/flash-attention#28": "Support any size of head_size?",
    "pytorch/pytorch#42929": "Dropout in nn.MultiheadAttention Causing Attention Weight Sum > 1",
    "johnsmith0031/alpaca_lora_4bit#155": "Why lora support is only for simple lora with only q_proj and v_proj ?",
    "pbloem/former#23": "Understanding multiheaded attention: splitting the input into chunks, each processed separately",
    "kpot/keras-transformer#17": "multi-head behaviour: why is the last dimension divided over the heads?",
    "ahrefs/ocannl#548": "f16: the causal mask's -1e9 sentinel overflows the format",
}


def test_thirty_questions_are_held_out():
    assert len(HELD_OUT) == len(set(HELD_OUT.values())) == 30


#: Titles of threads as they are typed; and what answers them: questions and claims by their names in the address, else addresses.
TITLES = {
    # of the newer questions' own threads, where the title says what is asked
    "breaking change for head size non divisble by 8": ("r26", "r27"),
    "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)": ("r28",),
    "Runtime error in mixed precision training in attention mask of transformers": ("r30", "r31"),
    "Attention Mask fill -inf or -10000": ("r31", "r30"),
    "attention value is not masked out by attention mask": ("r32",),
    "make mask value smaller by factor of 2": ("r33", "r30"),
    "(Enhancement) Applying mask to attention in one operation (3.5 Hiding future words with causal attention)": ("r34",),
    "doubt about scale in Attantion": ("r35", "./attention?cell=scaled.1.1.1", "c7"),
    "About transformer attention scaling": ("r36", "r35", "q44"),
    "Is the scaling position appropriate for the attention score?": ("r37", "c7"),
    "Failed to set the n_kv_heads param.": ("r39", "r41"),
    "`self.proj` in `CausalSelfAttention` too large if `config.n_query_groups < config.n_head`?": ("r40",),
    "Initialize kv cache w/num_kv_heads instead of num_heads": ("r41",),
    "Inconsistency in GQA KV-head calculation in memory estimation script": ("r42", "r41"),
    "What's the difference between [ all ] and [ q_proj,v_proj ] for --lora_target ?": ("r44", "r43"),
    "Confused about the prune heads operation.": ("r45", "r19"),
    "Wrong parameter to MultiHeadAttention in example image_classification_with_vision_transformer": ("r46",),
    "a question about `num_attention_heads`": ("r47", "r48", "q01", "c83", "./"),
    "self.d_k = d_model // h gives 64 dimension ?": ("r48", "c94", "r46", "c32"),
    "SelfAttention & EncDecAttention in mesh transformer allow different values for query, key, value": (
        "q13", "r49", "q49", "q15", "c59",
    ),
    "Not possible to use different key/value dimensionalities in nn.MultiheadAttention": ("r50", "q13", "q49", "c59"),
    # of the earlier ones
    'Parameter Count of MultiheadAttention does not Change with "num_heads" Argument': ("q01", "c83", "./"),
    "Understanding key_dim and num_heads in tf.keras.layers.MultiHeadAttention": ("q08", "r46", "q32"),
    "How does Keras MultiHeadAttention handle input feature dimension vs heads and reshape the output?": ("q09", "q08", "c24"),
    "context_dim and query_dim in CrossAttention": ("q15",),
    "MultiHeadAttention padding mask example": ("q17",),
    "nn.MultiheadAttention causes gradients to become NaN under some use cases": ("q22", "r31"),
    "nn.MultiHeadAttention should be able to return attention weights for each head.": ("q25",),
    "Multihead Attention's in_proj_weight is initialized inconsistently": ("q30",),
    "What stops the network from learning the same weights in multi-head attention mechanism": ("q43",),
    "Why are query, key, and value all set to the same value?": ("q48",),
    "MultiheadAttention should split embed_dim into four parameters": ("q49",),
    "add_zero_attn in MultiheadAttention breaks causality": ("q50",),
    "parameter count of Llama2-70B and Llama2-13B": ("r17",),
    "Why there is only one head for key and value?": ("r18",),
    "Llama3.1 inference memory requirements": ("r20", "./models?model=Llama-3.1-405B"),
    "[Bug] kv cache caculator wrong results": ("r22", "r41"),
    "Fitting MultiHeadAttention in memory for long sequences": ("r24", "r23"),
    'How can you interpret "len_q", "len_k", "len_v" in MultiHeadAttention()?': ("r25",),
    # of threads that no question is about
    "KV-cache-per-token estimate overcounts by ~8x and ignores GQA": ("r41", "r42", "r22"),
    "Use of MQA is confusing": ("r18", "r41", "r42", "./keras_layer?part=groups"),
    "Transformer ScaledDotProductAttention energy value on 16-bit Precision.": ("r30", "r31", "r38"),
    "Averaging attention head weights": ("q25",),
    "-np.inf in mask_3d causes numerical instability ?": ("r31", "q22", "r30", "r33"),
    "head-dim lower than 128": ("r26", "r27"),
    "ValueError: Total number of attention heads (52) must be divisible by tensor parallel size (3).": ("r28",),
    "Dropout of attn_weights": ("r06",),
    "Attention in float16 produces NaNs when using mask": ("r30", "r31", "r33", "q22"),
    "Using `layers.MultiHeadAttention` increases parameter `num_heads` times": ("q01", "c83", "./", "r46"),
    "AssertionError: embed_dim must be divisible by num_heads": ("./?d_model=16&num_heads=3", "r27", "c96", "q49"),
    "why blip2 vit set qkv bias to false?": ("q29", "r01"),
    'When the parameter "num_heads" is changed, the total number of parameters shown when running train.py is not changed.': (
        "q01", "c83", "c87", "./",
    ),
    "Why k_bias is set to 0 in the attention module": ("r01", "r02"),
    "Why scale used in Attention is 8 (while dim_head is 64)? If dim or dim_head are changed, should scale be changed "
    "automatically?": ("r35", "q44"),
    "This flash attention build does not support headdim not being a multiple of 32": ("r26", "r27"),
    "MultiHeadAttention dividing by wrong scalar value": ("r35", "./attention?cell=scaled.1.1.1", "c7", "q44"),
    "Why is there a QKV bias? It's always 0": ("r02", "r01", "q29"),
    "Attention Scaling mismatch from paper": ("r36", "r35", "q44"),
    "Why 8 attention heads rather than 4 for BaseUnet64?": ("r48", "r47", "./trained_heads"),
    "Why dim != dim_head * heads?": ("q11", "q12", "c94", "q08", "q49", "r46"),
}  # fmt: skip

#: Short phrases; and what they should lead to.
PHRASES = {
    "embedding split": ("./projections", "c99"), "in_proj_weight": ("q30", "q32"), "pruning": ("r19", "r45"),
    "Llama-2-70B": ("r17", "r44"), "causal": ("q20", "r34", "./attention?mask=causal"),
    "num_heads must divide": ("q49", "c96", "r27", "./?d_model=16&num_heads=3"), "GQA memory": ("r41", "r42"),
    "GQA": ("./keras_layer?part=groups", "r41", "r42"), "convert pytorch weights to keras": ("q32",),
    "attention mask shape": ("q17", "./keras_layer?part=masks"), "head_dim": ("r18", "q12", "r22", "r26"),
    "parameter count keras vs pytorch": ("./",), "why multiple heads": ("./trained_heads",),
    "why do we need several heads": ("./trained_heads",), "KV cache size": ("r20", "r41"), "prune heads": ("r19", "r45"),
    "divisible": ("./?d_model=16&num_heads=3", "r27"), "why concatenate heads": ("c35", "r11", "./concatenation"),
    "key_dim vs d_model": ("q08", "r46", "c71", "c94"), "Grouped-Query Attention": ("./keras_layer?part=groups", "r41", "r42"),
    "multi-head latent attention": ("./models?model=DeepSeek-V2-Lite",), "one big head": ("./trained_heads", "r48"),
    "Unrecognized keyword arguments passed to MultiHeadAttention": ("./keras_layer?part=call",), "Gemma 7B": ("q12",),
    "flash attention head dim": ("r26", "r27"), "LoRA": ("r43", "r44"), "tensor parallel": ("r28",),
}  # fmt: skip


def answered(typed: str, right: tuple[str, ...], among: int = 3) -> bool:
    """Whether one of the first hits is right."""
    return any(hit.address == one or hit.address.endswith(f"={one}") for hit in found(typed, among) for one in right)


def test_nine_of_ten_titles_lead_to_their_answer_and_none_to_nothing():
    assert len(TITLES) == 60
    missed = [title for title, right in TITLES.items() if not answered(title, right)]
    assert len(missed) <= 6, missed
    assert all(found(title, 1) for title in (*TITLES, *HELD_OUT.values()))


def test_short_phrases_lead_to_their_answer():
    missed = [phrase for phrase, right in PHRASES.items() if not answered(phrase, right)]
    assert len(missed) <= 2, missed


#: Of the held-out questions, what the app has that answers each in full, where it has that.
IN_FULL = {
    "Project-MONAI/GenerativeModels#359": ("./?d_model=16&num_heads=3", "c96"),
    "idiap/fast-transformers#131": ("r06",), "lucidrains/denoising-diffusion-pytorch#265": ("r35",),
    "keras-team/tf-keras#412": ("q31",), "lucidrains/MEGABYTE-pytorch#13": ("r18",), "baaivision/EVA#81": ("c91",),
    "Kyubyong/transformer#55": ("c91", "c99"), "facebookresearch/detr#96": ("./keras_layer?part=masks",),
    "deepspeedai/DeepSpeed#3634": ("r28",), "NVIDIA/apex#838": ("q32",),
    "pytorch/pytorch#60445": ("q01", "c83"), "Taited/sgdiff#3": ("q15",),
    "pytorch/pytorch#54128": ("c13", "c63"), "Pang-Yatian/Point-MAE#24": ("c96", "r27"), "paiml/entrenar#262": ("r22",),
    "IcarusWizard/MAE#24": ("./?d_model=16&num_heads=3", "c96"),
    "CyberZHG/keras-transformer#1": ("c96", "./?d_model=16&num_heads=3"),
    "Dao-AILab/flash-attention#28": ("r27",), "pytorch/pytorch#42929": ("r06",),
    "pbloem/former#23": ("c99", "./projections"),
    "kpot/keras-transformer#17": ("c99", "q01", "c94"), "ahrefs/ocannl#548": ("r30",),
}  # fmt: skip


def test_of_the_held_out_questions_nine_are_answered_in_full_by_the_first_three():
    """As they were found when the tuning was over; a search that is worse says so here. Tune on TITLES, not on these."""
    assert {*IN_FULL} <= {*HELD_OUT}
    assert sum(answered(HELD_OUT[thread], right) for thread, right in IN_FULL.items()) >= 9


def test_a_fresh_servers_first_search_takes_less_than_a_tenth_of_a_second_of_its_processor():
    """Reading the index is in it. Afterwards a search takes 2 ms, one of nothing but misspelt words some 10."""
    began = time.process_time()
    index.__wrapped__().ranked("Attention Mask fill -inf or -10000", 15)
    assert time.process_time() - began < 0.1


def test_no_title_is_both_tuned_on_and_held_out():
    assert not {*TITLES, *PHRASES} & {*HELD_OUT.values()}
