"""Questions in which heads are taken for something else: for layers, for a model's output, for part of the batch, for a count."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Heads")

QUESTIONS.add("r171", "Is a head a layer, or the head of a model? What are heads not?",
    "https://github.com/kpot/keras-transformer/issues/37", see("models", model="GPT-2-124M"),
    numpy("not_heads", model="GPT-2-124M"),
    asked="head is a different dimension than block, num_heads or depth, layers or heads, heads against layers, language model "
    "head, lm_head, classification head, output head, three meanings of head, Medusa heads, how many heads has a model, "
    "transformer_depth, stack of blocks",
    says="Neither. Heads stand side by side in one attention layer, all on the same input; layers (blocks) stand one after the "
    "other. GPT-2 small has {layers} layers of {heads} heads, {maps} maps for a text. One layer more adds {layer} parameters; "
    "other numbers of heads leave the count as it is. A model's head (lm_head, a classifier) is what stands at its end: a matrix "
    "from {d_model} numbers to each of {words} words, {output} in all; GPT-2 takes its embeddings for it.",
    rows={"parameters with {heads} heads, and with 1": "{counts:each}"},
)  # fmt: skip

QUESTIONS.add("r172", "Code reshapes to (B·h, T, d), or divides the batch by the heads. Are heads mixed with samples there?",
    "https://github.com/IBM/PoWER-BERT/issues/11", see("concatenation", d_model=8, num_heads=2, query_len=6),
    numpy("folded_heads", d_model=8, num_heads=2, query_len=6, batch=3),
    asked="reshape (B·h, T, d), batch size divided by num_heads, batch_size * num_heads, bmm, fold heads into the batch, "
    "batch // num_heads, why is the batch multiplied by the number of heads, is multi-head attention implemented wrong",
    says="No. Samples never meet, and nor do heads before W_O: so both can share one axis, and one batched product serves all. "
    "Here (3, 2, 6, 4) becomes {folded}, sample 1 with heads 1 and 2 first, and the results differ by {apart:rounding}. The way "
    "back divides by h. It goes wrong if the axes are joined in one order and parted in another: off by {wrong:.2f} here, and "
    "no shape tells. A mask (B, T, S) needs each row h times in turn.",
    rows={"maps": "{maps}"},
)  # fmt: skip

QUESTIONS.add("r173", "My model has far more parameters than it should. Is it the heads?",
    "https://github.com/keras-team/keras/issues/16302 "
    "https://stats.stackexchange.com/questions/435318/how-to-account-for-the-noof-parameters-in-the-multihead-self-attention-layer-of",
    see("models", model="BERT-base"), numpy("not_the_heads", model="BERT-base", words=30000), theme="Parameters of a model",
    asked="BERT built with Keras has too many parameters, number too large, untied output layer, masked language model example, "
    "count parameters of BERT by hand, per head, trainable parameters of ViT or BERT, 2,362,368, embeddings counted twice",
    says="Seldom, where heads · size is the width. A Keras BERT with 30,000 words has {total}: {embeddings} in its embedding, "
    "{layers} layers of {layer}, and {output} in an output layer of its own. BERT has none: it takes the embedding again (tied). "
    "So count by parts. One layer's attention is 4 · (768 · 768 + 768) = {attention}, all 12 heads together. If that fits, look "
    "at embeddings, output layer and feed-forward layers; if it is h times as much, key_dim is the whole width.",
    rows={"a head's piece of W_Q": "{piece}", "with key_dim 768, attention of one layer": "{wide}"},
)  # fmt: skip
