"""Quiz questions about sizes: shapes of weight matrices and attention maps, counts, and what changes with the heads."""

from dataclasses import replace
from random import Random

import numpy as np

from headcount.config import Config
from headcount.cost import contrasts
from headcount.forward import run
from headcount.ledger import count_parameters, keras_count, ledger
from lessons.quiz.question import AS_PAPER, Clash, QuizQuestion, biases, free_layer, options, paper_layer, shape

CELLS, KERNELS, ADDS = (
    "the cells of all attention maps",
    "the weights in W_Q, W_K, W_V and W_O",
    "the multiply-adds of the projections",
)


def query_kernel(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    if h * k == D:
        raise Clash
    right = (shape(D, h, k), "Keras keeps an axis for the heads. Its axes are: feature of X, head, column of that head.")
    wrong = [
        (
            shape(D, h * k),
            "True of one matrix with all heads side by side; PyTorch stores its transpose. But Keras keeps the heads apart.",
        ),
        (shape(D, D), f"True of one matrix for all heads if heads · key_dim were d_model. Here, that is {h} · {k} = {h * k}."),
        (shape(D, k), f"True of one matrix without an axis for the heads, if all heads together had only {k} columns."),
        (shape(h, k, D), "True of Keras's output kernel, which leads from the heads back to d_model."),
    ]
    asks = f"`MultiHeadAttention(num_heads={h}, key_dim={k})` gets inputs {D} wide. What is the shape of Keras's query kernel?"
    return QuizQuestion("query_kernel", asks, options(rng, right, wrong), cfg, "cuts", choices=(("cut", "keras"),))


def weights(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    B, h, T, S = rng.choice((2, 3)), cfg.num_heads, cfg.query_len, cfg.key_len
    right = (shape(B, h, T, S), "One map for each head of each sequence, with a row for each query and a column for each key.")
    wrong = [
        (shape(B, T, S), "True of PyTorch's default, which gives the mean over the heads."),
        (shape(B, h, T, T), "True if the queries looked at their own sequence. Here the keys come from another one."),
        (shape(B, h, S, T), "True if the keys were the rows. Keras has a row for each query."),
        (shape(B, h, T, cfg.value_dim), "True of the head outputs, the weights times V, with the same order of axes."),
    ]
    asks = (
        f"{B} sequences of {T} queries look at {S} keys with {h} heads and value_dim {cfg.value_dim}. What is the shape of the "
        "weights that `return_attention_scores=True` returns?"
    )
    return QuizQuestion("weights", asks, options(rng, right, wrong), cfg, "attention")


def concat(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    D, h, k, v = cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim
    right = (f"{h * v}", f"Together they have heads · value_dim = {h} · {v} columns. W_O has as many rows.")
    wrong = [
        (f"{D}", "True if the heads had to share d_model, as in the Transformer paper."),
        (f"{h * k}", "True if the outputs were as wide as the keys. But they are weighted means of rows of V."),
        (f"{v}", "True with one head, or if the outputs were added up instead of put side by side."),
    ]
    asks = f"A Keras layer has d_model {D}, {h} heads, key_dim {k}, value_dim {v}. "
    asks += "How many columns do all head outputs have together?"
    return QuizQuestion("concat", asks, options(rng, right, wrong), cfg, "concatenation")


def piece(rng: Random) -> QuizQuestion:
    cfg = paper_layer(rng)
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    right = (f"{D} × {k}", f"The slice has all {D} rows, so the head reads all of X, and {D} / {h} = {k} of the columns.")
    wrong = [
        (f"{k} × {k}", "True if a head got only a slice of the embedding. But it gets the whole embedding."),
        (f"{D} × {D}", f"True if every head had the full width: Keras with key_dim {D}."),
        (f"{k} × {D}", "True of a head's slice of W_O."),
    ]
    asks = f"{AS_PAPER}; d_model = {D}, with {h} heads. How large is one head's slice of W_Q (rows × columns)?"
    return QuizQuestion("piece", asks, options(rng, right, wrong), cfg, "cuts", paper=True, choices=(("cut", "separate"),))


def reads(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng, d_model=rng.choice((8, 12, 16)))
    D, h, k = cfg.d_model, cfg.num_heads, cfg.key_dim
    if D % h or k in (D, D // h):
        raise Clash
    right = (f"{D}", "Every head gets all of X, not a slice.")
    wrong = [
        (f"{D // h}", f"True if the embedding were split among the {h} heads."),
        (f"{k}", "That is key_dim: how many numbers a query of one head has."),
        (f"{h * k}", "That is heads · key_dim: how many numbers the queries of all heads have together."),
    ]
    asks = f"A token is {D} numbers, and the layer has {h} heads with key_dim {k}. How many of the {D} numbers does a head read?"
    return QuizQuestion("reads", asks, options(rng, right, wrong), cfg, "projections")


def paper_count(rng: Random) -> QuizQuestion:
    cfg = paper_layer(rng)
    one, D, h = cfg.with_heads(1, paper=True), cfg.d_model, cfg.num_heads
    count, finer = count_parameters(one), count_parameters(replace(one, key_dim=D // h, value_dim=D // h))
    right = (f"{count_parameters(cfg):,}", f"The same matrices are cut into {h} slices: heads · key size is always {D}.", cfg)
    wrong = [
        (f"{keras_count(one, h):,}", f"True in Keras with key_dim kept at {D}, because each head then adds slices of full width.",
         one.with_heads(h, paper=False)),
        (f"{count // h:,}", f"True of one head of key size {D // h}." if finer == count // h else
         f"This divides the count by the number of heads. But even one of the {h} heads alone would have {finer:,}."),
        (f"{count * h:,}", "True if each head were a whole layer.", *[one] * h),
    ]  # fmt: skip
    given = f"{AS_PAPER}; d_model = {D}, {biases(cfg)}"
    asks = f"{given}: one head has {count:,} parameters. How many do {h} heads have?"
    return QuizQuestion("paper_count", asks, options(rng, right, wrong), cfg, "heads", paper=True, before=one)


def keras_count_doubled(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng, num_heads=rng.choice((2, 3)))
    more, count = replace(cfg, num_heads=2 * cfg.num_heads), count_parameters(cfg)
    halved = [replace(more, key_dim=cfg.key_dim // 2, value_dim=cfg.value_dim // 2)]
    into = sum(row.count for row in ledger(cfg) if not row.path.startswith("attention_output"))
    why = "each head adds its own slices" + (". Only b_O stays as it is." if cfg.use_bias else ".")
    right = (f"{count_parameters(more):,}", f"Each head has the whole key_dim and value_dim, so {why}", more)
    wrong = [
        (f"{count:,}", "True if the heads shared one width, as in the Transformer paper.",
         *[one for one in halved if count_parameters(one) == count]),
        (f"{count + into:,}", "True if W_O did not grow. But it has rows for every head."),
        (
            f"{4 * count:,}",
            "True if matrices and biases became four times as large. But a matrix keeps d_model rows or columns, so it doubles.",
        ),
        (f"{2 * count:,}", f"True if b_O doubled, too. But its {cfg.d_model} numbers do not depend on the heads.", cfg, cfg),
    ]  # fmt: skip
    asks = (
        f"A Keras layer has d_model {cfg.d_model}, key_dim {cfg.key_dim} and value_dim {cfg.value_dim}, {biases(cfg)}: "
        f"{cfg.num_heads} heads have {count:,} parameters. How many do {more.num_heads} heads have, if nothing else changes?"
    )
    return QuizQuestion("keras_count_doubled", asks, options(rng, right, wrong), more, "heads", before=cfg)


def longer(rng: Random) -> QuizQuestion:
    cfg = paper_layer(rng)
    T, count = cfg.query_len, count_parameters(cfg)
    more = Config(cfg.d_model, cfg.num_heads, query_len=2 * T, use_bias=cfg.use_bias, seed=cfg.seed)
    right = (
        f"{count_parameters(more):,}",
        "No parameter's shape depends on the sequence length. The maps grow, but the layer does not.",
        more,
    )
    wrong = [
        (f"{count + T * cfg.d_model:,}", "True if the layer held an embedding for each position."),
        (f"{count + 3 * T * T * cfg.num_heads:,}", "True if the maps were parameters. But they are computed from X each time."),
        (f"{2 * count:,}", "True if each token had its own weights. But all tokens share them."),
    ]
    asks = (
        f"A layer with d_model {cfg.d_model} and {cfg.num_heads} heads has {count:,} parameters for {T} tokens. How "
        f"many does it have for {2 * T} tokens?"
    )
    return QuizQuestion("longer", asks, options(rng, right, wrong), more, "projections", paper=True, before=cfg)


def map_sum(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    T, S = cfg.query_len, cfg.key_len
    right = (f"{T}", "Each row, one per query, sums to 1.")
    wrong = [
        ("1", "True if softmax ran over the whole map."),
        (f"{S}", "True if the columns summed to 1."),
        (f"{T * S}", "True if every weight were 1."),
    ]
    asks = f"One head's map has {T} queries and {S} keys. What do all its weights add up to?"
    return QuizQuestion("map_sum", asks, options(rng, right, wrong), cfg, "attention")


def grows(rng: Random) -> QuizQuestion:
    cfg = paper_layer(rng)
    one = cfg.with_heads(1, paper=True)
    _, cells, kernels, _, adds = contrasts(cfg, one)
    if not kernels.same or not adds.same or cells.same:
        raise Clash
    if_fixed = f"True if key_dim stayed {cfg.d_model} as heads are added, as in Keras. Here the number is {{:,}} both times."
    right = (CELLS, f"{cells.there:,} cells become {cells.here:,}: each head has its own map.")
    wrong = [
        (KERNELS, if_fixed.format(kernels.here)),
        (ADDS, if_fixed.format(adds.here)),
        ("the width of the output", f"True if value_dim stayed {cfg.d_model} as heads are added, and no W_O followed."),
    ]
    asks = f"{AS_PAPER}; d_model = {cfg.d_model}, with {cfg.query_len} tokens. What grows from 1 head to {cfg.num_heads}?"
    return QuizQuestion("grows", asks, options(rng, right, wrong), cfg, "attention", paper=True)


def divisor(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    D, k, v = cfg.d_model, cfg.key_dim, cfg.value_dim
    trace = run(cfg)
    place = np.unravel_index(np.abs(trace.scores.values).argmax(), trace.scores.shape)
    measured = trace.scores.values[place] / trace.scaled.values[place]
    root = lambda n: f"√{n} ≈ {n**0.5:.2f}"  # noqa: E731
    why = "The scores are sums of key_dim products. For random numbers, such sums grow with √key_dim."
    right = (root(round(float(measured) ** 2)), why)
    wrong = [
        (root(D), "True if each head's queries were d_model wide."),
        (f"{k}", "True if the scores grew with key_dim. For random numbers, they grow with its root."),
        (root(v), "True if the scores were sums of value_dim products."),
        (root(cfg.num_heads * k), "True of one head as wide as all of them together."),
    ]
    asks = f"A layer has d_model {D}, {cfg.num_heads} heads, key_dim {k}, value_dim {v}. What are its scores divided by?"
    return QuizQuestion("divisor", asks, options(rng, right, wrong), cfg, "steps")
