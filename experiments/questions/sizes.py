"""Questions about sizes: the number of parameters, the width of a head, and sizes that must divide or match."""

from experiments.records import Questions, free, keras, layer, numpy, see

QUESTIONS = Questions("conventions")

QUESTIONS.add("q01", "I changed num_heads from 1 to 64 and the number of parameters stayed the same. Is that a bug?",
    "https://github.com/pytorch/pytorch/issues/60853", see("heads", d_model=512, num_heads=64),
    numpy("conventions", d_model=512, heads=[1, 8, 64], key_dim=64),
    numpy("conventions", d_model=8, heads=[1, 2, 4, 8], key_dim=4), topic="arrays",
    asked="parameter count is the same for any number of heads, more heads have fewer parameters, does not depend on the "
    "number of heads, changing nhead alters neither parameters nor complexity, should more heads mean more parameters, 4·d², "
    "ViT-S with 12 or 6 heads, doubling the heads, formula of the parameter count, increases the parameters num_heads times, "
    "why Keras has more parameters than PyTorch, same FLOPs with nhead=4 and nhead=8, wrong parameter key_dim in an example, "
    "image classification, vision transformer, Transformer base in Keras",
    numbers={"first_paper": "paper[0]", "keras_1": "keras[0]", "keras_8": "keras[1]", "keras_64": "keras[2]",
             "heads_of_second": "1[heads]", "paper_of_second": "1[paper]"},
    says="No. In PyTorch each of h heads is d_model / h wide, so all heads together are d_model wide, whatever h is. More "
    "heads are just narrower heads. With d_model 512, the layer has 4 · 512² + 4 · 512 = {first_paper} parameters. In Keras, "
    "key_dim is the size of each head, so the count grows with h. With key_dim 64, the layer has {keras_1} parameters with 1 "
    "head, {keras_8} with 8 and {keras_64} with 64. For PyTorch's count, set key_dim to d_model / h, not to d_model.",
    rows={"parameters at d_model 512, with {heads:and} heads": "{paper:each}",
             "parameters at d_model 8, with {heads_of_second:and}": "{paper_of_second:each}"},
)  # fmt: skip

QUESTIONS.add(
    "q08", "My input is 10 wide, and Keras accepts 20 heads with key_dim 9, and 123 heads with 17. What is key_dim, then?",
    "https://stackoverflow.com/questions/70034327", see("heads", **free(10, 20, 9, query_len=7)),
    numpy("layers", sizes=[*(layer(10, *sizes, query_len=n) for *sizes, n in ((20, 9, 1000), (123, 17, 1000), (3, 5, 7))),
                           layer(16, 2, 2)]),
    keras("shapes", shape=[1, 7, 10], num_heads=20, key_dim=9), numpy("published_choices"),
    asked="understanding key_dim and num_heads, key_dim, head_dim, dim_head, d_k: value and difference to d_model, parameter "
    "count of a Keras summary with num_heads=2 and key_dim=2, where the odd count of parameters comes from, key_dim is the "
    "total or for a single head, feature dimension, reshape the output, q_proj shape mismatch, head_dim * num_heads is not "
    "hidden_size, head_dim of its own, independent of hidden_size / num_attention_heads, hidden or inner dimension",
    numbers={"first_concat": "layers[0][concat]", "second_concat": "layers[1][concat]", "out": "layers[0][out]",
             "count_of_2": "layers[3][count]", "first_count": "layers[0][count]",
             "query_kernel": "layers[0][variables][query/kernel]", "scores": "layers[0][shapes][scores]",
             "first_output": "layers[0][shapes][output]", "second_count": "layers[1][count]",
             "third_count": "layers[2][count]"},
    says="key_dim is the number of columns of Q and of K in each head. It does not come from the input's width, so no size "
    "has to divide another. 20 heads with key_dim 9 have {first_concat} columns together, 123 heads with key_dim 17 have "
    "{second_concat}. W_O maps both back to width {out}. PyTorch's embed_dim is the total width, which is divided among "
    "the heads. Some configurations set head_dim freely, too: in {untied} of {models} models counted here, the heads together "
    "are not d_model wide.",
    rows={"20 heads, key_dim 9: parameters": "{first_count}",
          "shape of its query kernel": "{query_kernel}",
          "shape of its scores, 1000 tokens": "{scores}", "shape of its output": "{first_output}",
          "shape of its output in Keras, 7 tokens": "{output}", "123 heads, key_dim 17: parameters": "{second_count}",
          "3 heads, key_dim 5: parameters": "{third_count}",
          "16 wide, 2 heads, key_dim 2: parameters, 3 · (16 + 1) · 2 · 2 + (2 · 2 + 1) · 16": "{count_of_2}"},
)  # fmt: skip

QUESTIONS.add(
    "q13", "The paper distinguishes d_k and d_v. What changes when value heads have another size than key heads?",
    "https://github.com/ggml-org/llama.cpp/issues/4648",
    see("concatenation", split="free", use_bias="false", **layer(512, 8, 64, 128)),
    numpy("layers", sizes=[layer(*size, use_bias=False, query_len=6)
                           for size in ((512, 8, 64, 64), (512, 8, 64, 128), (512, 8, 32, 64), (8, 2, 3, 5))]),
    asked="d_k not equal to d_v, d_v is not d_model / h, other sizes for query, key and value, key_dim differs from value_dim, "
    "query_size and key_size, size mismatch at the output product, size of out_proj, queries and keys wider than values, "
    "difference between d_model, d_k and d_v, value_dim left out or default, same size for the value, number of features per "
    "head of query, key and value",
    numbers={"first_count": "layers[0][count]", "first_concat": "layers[0][concat]", "second_count": "layers[1][count]",
             "second_concat": "layers[1][concat]", "value_kernel": "layers[1][variables][value/kernel]",
             "attention_output_kernel": "layers[1][variables][attention_output/kernel]", "third_count": "layers[2][count]",
             "first_scores": "layers[0][shapes][scores]", "second_scores": "layers[1][shapes][scores]",
             "fourth_count": "layers[3][count]"},
    says="In each head, queries and keys have d_k columns, and values have d_v columns. The paper takes d_model / h for "
    "both. A larger d_v makes W_V, the concatenation and W_O larger: W_O has h · d_v rows. The scores stay the same: only "
    "queries and keys enter them, and their divisor, √d_k, does not depend on d_v. The layer's output also keeps its "
    "width, because W_O has d_model columns. If you leave out value_dim, Keras takes key_dim for it.",
    rows={"d_k 64, d_v 64: parameters": "{first_count}", "width of its Concat": "{first_concat}",
          "d_k 64, d_v 128: parameters": "{second_count}", "width of its Concat, d_v 128": "{second_concat}",
          "shape of its W_V": "{value_kernel}", "shape of its W_O": "{attention_output_kernel}",
          "d_k 32, d_v 64: parameters": "{third_count}", "shape of the scores, d_v 64, 6 tokens": "{first_scores}",
          "shape of the scores, d_v 128": "{second_scores}", "8 wide, 2 heads, d_k 3, d_v 5: parameters": "{fourth_count}"},
)  # fmt: skip

QUESTIONS.add("q15", "Cross-attention between image and text: what are query_dim and context_dim, and what has to match?",
    "https://github.com/CompVis/stable-diffusion/issues/511",
    see("keras_layer", part="shapes", key_width=768, value_width=768, **free(320, 8, 40, query_len=64, key_len=77)),
    keras("weights", d_model=320, key_width=768, num_heads=8, key_dim=40, use_bias=False),
    keras("weights", d_model=6, key_width=8, num_heads=2, key_dim=3, use_bias=False),
    keras("shapes", shape=[1, 64, 320], memory=[1, 77, 768], num_heads=8, key_dim=40),
    asked="encoder and decoder of other widths, context, how to define query, key and value for cross-attention, where they "
    "come from, encoder output and decoder, must key and value come from one source, selection of q, k and v, decoder's second "
    "attention block, source of query, key and value, which come from the encoder, what q, k and v are in cross-attention, why "
    "not the other way round, which side gives the queries, do query and key need the same number of features, no look-ahead "
    "mask in cross-attention, cheating to see the whole source sentence, image captioning, words and picture, other lengths of "
    "query and key, seq_len, inconsistent lengths, as many keys as values, length of a condition, sequence lengths in "
    "cross-attention, sequences longer than in training, longest input, pad one sentence to 512 tokens, shape of the attention "
    "weights, dimensions of QKᵀ, query length 10 and key length 20",
    numbers={"w_q": "variables[0][1]", "w_k": "variables[1][1]", "w_v": "variables[2][1]", "w_o": "variables[3][1]",
             "second_tuple": "tuple[1]", "count_of_second": "1[count]"},
    says="The width of the sequence that looks, the image, is query_dim. The width of the sequence that is looked at, here "
    "the text, is context_dim. Queries come from the image, keys and values from the text. In a translator, queries "
    "come from the decoder's tokens, keys and values from the encoder's output. Queries and keys must have the same head "
    "size, and there must be as many keys as values. Lengths and widths are free: W_Q has query_dim rows, W_K and W_V have "
    "context_dim rows. Each query gives one output.",
    rows={"image (1, 64, 320): shape of W_Q": "{w_q}", "text (1, 77, 768): shape of W_K": "{w_k}",
          "text: shape of W_V": "{w_v}", "shape of W_O": "{w_o}", "shape of the scores": "{second_tuple}",
          "of the output": "{output}",
          "parameters, 8 heads of 40": "{count}", "parameters, 6 and 8 wide, 2 heads of 3": "{count_of_second}"},
)  # fmt: skip

QUESTIONS.add("r54", "Hidden size 1,024 and 12 attention heads: why must the width be divisible by the number of heads?",
    "https://github.com/huggingface/transformers/issues/23081", see("heads", **free(1024, 12, 85)),
    numpy("heads_that_fit", d_model=1024, wrong=12),
    numpy("layers", sizes=[layer(1024, 12, 85), layer(1024, 16, 64)]),
    numpy("heads_that_fit", d_model=300, wrong=8),
    asked="not divisible, divisor of hidden units, multiple of the head number, invalid, odd, shape error, emb_dim, heads "
    "divide the features and not the sequence, C is not a multiple of num_heads, no assert, assertion error",
    numbers={"concat": "layers[0][concat]", "first_count": "layers[0][count]", "second_count": "layers[1][count]",
             "counts_of_third": "2[counts]"},
    says="Most code computes Q with one matrix as wide as the model, and cuts its columns into equal heads. 12 heads of 85 "
    "take {concat} of 1,024 columns, and {left} are left over. There, the number of heads must divide the width. Possible "
    "numbers for 1,024 are {counts:and}. This rule comes from the cut, not from attention itself. In Keras, key_dim sets "
    "the size of each head: a layer with 12 heads of 85 runs and has {first_count} parameters.",
    rows={"16 heads of 64: parameters": "{second_count}", "300 wide: numbers of heads that fit": "{counts_of_third:each}"},
)  # fmt: skip
