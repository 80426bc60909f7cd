"""Questions about shapes: kernels, weights, output, Concat, one head's piece."""

from random import Random

from lessons.quiz.question import Clash, Question, free_layer, options, paper_layer, shape


def query_kernel(rng: Random) -> Question:
    cfg = free_layer(rng)
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    if h * k == D:
        raise Clash
    right = (shape(D, h, k), "Keras keeps an axis for the heads: row of X, head, column of that head.")
    wrong = [
        (shape(D, h * k), "True of the fused matrix, as PyTorch keeps it (transposed). Keras does not flatten the heads."),
        (shape(D, D), f"True, fused, if h · key_dim were d_model. Here the heads together are {h} · {k} = {h * k} wide."),
        (shape(D, k), "True with one head, fused, or if key_dim were the size of all heads together."),
        (shape(h, k, D), "True of an output kernel: it goes from the heads back to the model."),
    ]
    asks = f"`MultiHeadAttention(num_heads={h}, key_dim={k})` is called on inputs {D} wide. What shape has its query kernel?"
    return Question("query_kernel", asks, options(rng, right, wrong), cfg, "cuts", choices=(("cut", "keras"),), asked="q08")


def output_kernel(rng: Random) -> Question:
    cfg = free_layer(rng)
    D, h, k, v = cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim
    if h * v == D:
        raise Clash
    right = (shape(h, v, D), "W_O takes each head's value_dim columns back to the model's width.")
    wrong = [
        (shape(D, h, v), "True of the value kernel: into the heads, not out of them."),
        (shape(h * v, D), "True of the fused matrix. Keras keeps an axis for the heads."),
        (shape(h, k, D), "True if a head's result were key_dim wide. It is a mean of rows of V: value_dim wide."),
        (shape(D, D), "True, fused, if h · value_dim were d_model."),
    ]
    asks = (
        f"`MultiHeadAttention(num_heads={h}, key_dim={k}, value_dim={v})` on inputs {D} wide: what shape has its output kernel?"
    )
    return Question("output_kernel", asks, options(rng, right, wrong), cfg, "concatenation", asked="q13")


def weights(rng: Random) -> Question:
    cfg = free_layer(rng)
    B, h, T, S = rng.choice((2, 3)), cfg.num_heads, cfg.query_len, cfg.key_len
    right = (shape(B, h, T, S), "One map for each head of each sequence; a row for each query, a column for each key.")
    wrong = [
        (shape(B, T, S), "True of PyTorch's default, which gives the mean over the heads."),
        (shape(B, h, T, T), "True if the queries looked at their own sequence. Here the keys come from another one."),
        (shape(B, h, S, T), "True if the keys were the rows. Keras has a row for each query."),
        (shape(B, h, T, cfg.value_dim), "True of the heads' results, after the weights have met V."),
    ]
    asks = (
        f"{B} sequences of {T} queries look at {S} keys with {h} heads (value_dim {cfg.value_dim}). What shape have the weights "
        "that `return_attention_scores=True` adds?"
    )
    return Question("weights", asks, options(rng, right, wrong), cfg, "attention", asked="q25")


def output(rng: Random) -> Question:
    cfg = free_layer(rng)
    B, D, h, v, T, S = rng.choice((2, 3)), cfg.d_model, cfg.num_heads, cfg.value_dim, cfg.query_len, cfg.key_len
    right = (shape(B, T, D), "A row for each query, and W_O brings it back to the width of the query input.")
    wrong = [
        (shape(B, S, D), "True if each key, not each query, got a row."),
        (shape(B, T, h * v), "True of Concat, before W_O."),
        (shape(B, T, v), "True of one head's result."),
        (shape(B, h, T, v), "True of the heads' results with the heads still apart."),
    ]
    asks = (
        f"`layer(query, value)` with shapes {shape(B, T, D)} and {shape(B, S, D)}, {h} heads, value_dim {v}. What shape "
        "comes out?"
    )
    return Question("output", asks, options(rng, right, wrong), cfg, "concatenation", asked="q15")


def concat(rng: Random) -> Question:
    cfg = free_layer(rng)
    D, h, k, v = cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim
    right = (f"{h * v}", f"h · value_dim = {h} · {v}. W_O takes any width.")
    wrong = [
        (f"{D}", "True if the heads had to share d_model, as in the paper's split."),
        (f"{h * k}", "True if the results were as wide as the keys. They are rows of V."),
        (f"{v}", "True with one head, or if the results were added up instead of joined."),
    ]
    asks = f"Keras, d_model {D}, {h} heads, key_dim {k}, value_dim {v}. How many columns do the heads' results have side by side?"
    return Question("concat", asks, options(rng, right, wrong), cfg, "concatenation", asked="q12")


def piece(rng: Random) -> Question:
    cfg = paper_layer(rng)
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    right = (f"{D} × {k}", f"All {D} rows, so the head reads all of X; {D} / {h} = {k} of the columns.")
    wrong = [
        (f"{k} × {k}", "True if a head got only its slice of the embedding. It gets a copy of the whole."),
        (f"{D} × {D}", f"True if every head had the full width: Keras with key_dim {D}."),
        (f"{k} × {D}", "True of a head's piece of W_O."),
    ]
    asks = f"The paper's split, d_model {D}, {h} heads. How large is one head's piece of W_Q (rows × columns)?"
    return Question("piece", asks, options(rng, right, wrong), cfg, "heads", paper=True, asked="q09")


def reads(rng: Random) -> Question:
    cfg = free_layer(rng, d_model=rng.choice((8, 12, 16)))
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    if D % h or k in (D, D // h):
        raise Clash
    right = (f"{D}", "Every head gets all of X, a copy and not a slice.")
    wrong = [
        (f"{D // h}", f"True if the embedding were split among the {h} heads."),
        (f"{k}", "That is how many numbers the head makes of them: key_dim."),
        (f"{h * k}", "That is how many numbers all heads make of them: h · key_dim."),
    ]
    asks = f"A token is {D} numbers, the layer has {h} heads with key_dim {k}. How many of the {D} does one head read?"
    return Question("reads", asks, options(rng, right, wrong), cfg, "projections", asked="q09")
