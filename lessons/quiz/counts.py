"""Questions about counts: parameters, arrays, biases, weights of a map, masked pairs."""

from dataclasses import replace
from random import Random

from lessons.quiz.question import Question, biases, free_layer, options, paper_layer
from mha.config import Config
from mha.cost import score_cells
from mha.ledger import count_parameters, keras_count, ledger
from mha.steps import attention_mask


def paper_count(rng: Random) -> Question:
    cfg = paper_layer(rng)
    one, D, h = cfg.with_heads(1, paper=True), cfg.d_model, cfg.num_heads
    count = count_parameters(one)
    right = (f"{count_parameters(cfg):,}", f"h · (d_model / h) is {D} for every h: the same matrices, cut into {h} pieces.")
    wrong = [
        (f"{keras_count(one, h):,}", f"True in Keras with key_dim kept at {D}: there each head brings a piece of full width."),
        (f"{count // h:,}", "True if the pieces got narrower and there were not more of them."),
        (f"{count * h:,}", "True if each head were a layer of its own."),
    ]
    asks = f"The paper's split, d_model {D}, {biases(cfg)}: one head has {count:,} parameters. How many do {h} heads have?"
    return Question("paper_count", asks, options(rng, right, wrong), cfg, "heads", paper=True, asked="q01")


def keras_count_doubled(rng: Random) -> Question:
    cfg = free_layer(rng, num_heads=rng.choice((2, 3)))
    more, count = replace(cfg, num_heads=2 * cfg.num_heads), count_parameters(cfg)
    into = sum(row.count for row in ledger(cfg) if not row.path.startswith("attention_output"))
    why = "each head brings its own pieces" + (", and only b_O is there once." if cfg.use_bias else ".")
    right = (f"{count_parameters(more):,}", f"key_dim and value_dim belong to each head: {why}")
    wrong = [
        (f"{count:,}", "True if key_dim and value_dim were halved along with it, as in the paper's split."),
        (f"{count + into:,}", "True if only W_Q, W_K and W_V grew. W_O has rows for every head."),
        (f"{4 * count:,}", "True if the kernels grew both ways. Their d_model side stays."),
        *(
            [(f"{2 * count:,}", f"True if b_O doubled, too; its {cfg.d_model} numbers do not depend on the heads.")]
            * cfg.use_bias
        ),
    ]
    asks = (
        f"Keras, d_model {cfg.d_model}, key_dim {cfg.key_dim}, value_dim {cfg.value_dim}, {biases(cfg)}: "
        f"{cfg.num_heads} heads are "
        f"{count:,} parameters. And {more.num_heads} heads, nothing else changed?"
    )
    return Question("keras_count_doubled", asks, options(rng, right, wrong), more, "parameters", asked="q32")


def arrays(rng: Random) -> Question:
    cfg = free_layer(rng)
    h, both = cfg.num_heads, cfg.use_bias
    right = (f"{len(ledger(cfg))}", "W_Q, W_K, W_V and W_O, each for all heads" + (", and a bias to each." if both else "."))
    wrong = [
        ("4" if both else "8", "True " + ("without biases." if both else "with biases.")),
        (f"{(3 * h + 1) * (1 + both)}", "True if each head kept W_Q, W_K and W_V of its own. Keras keeps the heads on an axis."),
        ("0", "True until it is built: a layer that was never called holds nothing."),
        ("6" if both else "3", "True without an output projection."),
    ]
    asks = (
        f"A built `MultiHeadAttention(num_heads={h}, key_dim={cfg.key_dim}, use_bias={both})`. How many arrays are in "
        "`layer.weights`?"
    )
    return Question("arrays", asks, options(rng, right, wrong), cfg, "heads", asked="q31")


def bias_count(rng: Random) -> Question:
    cfg = free_layer(rng, use_bias=True)
    D, h, k, v = cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim
    count = sum(row.count for row in ledger(cfg) if row.is_bias)
    right = (f"{count}", f"h · (2 · key_dim + value_dim) + d_model = {h} · {2 * k + v} + {D}.")
    wrong = [
        (f"{4 * D}", "True if h · key_dim = h · value_dim = d_model, as in the paper's split."),
        (f"{2 * k + v + D}", "True if all heads shared one bias."),
        (f"{count - D}", "True without b_O."),
        ("0", "They start at 0 in Keras, but they are trained like the rest."),
    ]
    asks = f"Keras, d_model {D}, {h} heads, key_dim {k}, value_dim {v}. How many of the parameters are biases?"
    return Question("bias_count", asks, options(rng, right, wrong), cfg, "heads", asked="q29")


def wider_values(rng: Random) -> Question:
    cfg = free_layer(rng)
    more = replace(cfg, value_dim=cfg.value_dim + rng.choice((2, 3, 5)))
    D, h, wider = cfg.d_model, cfg.num_heads, more.value_dim - cfg.value_dim
    added = count_parameters(more) - count_parameters(cfg)
    right = (
        f"{added:,}",
        f"W_V gets {h} · {wider} more columns and W_O as many rows" + (", b_V as many numbers." if cfg.use_bias else "."),
    )
    wrong = [
        (f"{h * wider * (D + cfg.use_bias):,}", "True if W_O did not grow with W_V."),
        (f"{added // h:,}", "True with one head."),
        (f"{h * wider * (4 * D + 3 * cfg.use_bias):,}", "True if Q and K grew, too: key_dim is a size of its own."),
        ("0", "True if value_dim changed the results only, and no matrix."),
    ]
    asks = (
        f"Keras, d_model {D}, {h} heads, {biases(cfg)}. value_dim goes from {cfg.value_dim} to {more.value_dim}. How "
        "many parameters more?"
    )
    return Question("wider_values", asks, options(rng, right, wrong), more, "concatenation", asked="q13")


def longer(rng: Random) -> Question:
    cfg = paper_layer(rng)
    T, count = cfg.query_len, count_parameters(cfg)
    more = Config(cfg.d_model, cfg.num_heads, query_len=2 * T, use_bias=cfg.use_bias, seed=cfg.seed)
    right = (
        f"{count_parameters(more):,}",
        "No parameter's shape knows the length of the sequence; the maps grow, the layer does not.",
    )
    wrong = [
        (f"{count + T * cfg.d_model:,}", "True if the layer held an embedding for each position."),
        (f"{count + 3 * T * T * cfg.num_heads:,}", "True if the maps were parameters. They are computed from X each time."),
        (f"{2 * count:,}", "True if each token had weights of its own. All tokens share them."),
    ]
    asks = (
        f"A layer with d_model {cfg.d_model} and {cfg.num_heads} heads has {count:,} parameters for {T} tokens. How "
        f"many for {2 * T} tokens?"
    )
    return Question("longer", asks, options(rng, right, wrong), more, "projections", paper=True, asked="q08")


def map_cells(rng: Random) -> Question:
    cfg = free_layer(rng)
    h, T, S = cfg.num_heads, cfg.query_len, cfg.key_len
    right = (f"{score_cells(cfg)}", f"h · T · S = {h} · {T} · {S}: each head has a map of its own.")
    wrong = [
        (f"{T * S}", "True if the layer had one map for all heads."),
        (f"{h * T * T}", "True if the queries looked at their own sequence."),
        (f"{h * (T + S)}", "True if tokens were weighted one by one, not in pairs."),
    ]
    asks = f"{T} queries, {S} keys, {h} heads. How many attention weights does the layer compute for one sequence?"
    return Question("map_cells", asks, options(rng, right, wrong), cfg, "attention", asked="q25")


def map_sum(rng: Random) -> Question:
    cfg = free_layer(rng, mask=rng.choice(("none", "causal")))
    T, S = cfg.query_len, cfg.key_len
    right = (f"{T}", "Each of the rows, one for each query, sums to 1; a mask does not change that.")
    wrong = [
        ("1", "True if softmax ran over the whole map."),
        (f"{S}", "True if the columns summed to 1."),
        (f"{T * S}", "True if every weight were 1."),
        (
            f"{int(attention_mask(cfg).sum())}",
            "That is how many pairs the mask allows." if cfg.mask == "causal" else "True if every weight were 1.",
        ),
    ]
    masked = " under a causal mask" if cfg.mask == "causal" else ""
    asks = f"One head's map{masked}, {T} queries by {S} keys. What do all its weights add up to?"
    return Question("map_sum", asks, options(rng, right, wrong), cfg, "steps", asked="q23")


def masked_pairs(rng: Random) -> Question:
    cfg = free_layer(rng, mask="causal")
    T, S, allowed = cfg.query_len, cfg.key_len, attention_mask(cfg)
    aligned = sum(max(S - max(S - T + t + 1, 0), 0) for t in range(T))
    right = (f"{int((~allowed).sum())}", "Query t sees keys 1 to t, counted from the start of both, and as many as there are.")
    wrong = [
        (f"{int(allowed.sum())}", "That is how many pairs are allowed."),
        (f"{aligned}", "True if the last query saw the last key (aligned at the end, as with a cache of keys)."),
        (f"{T * (T - 1) // 2}", f"True with {T} keys: T · (T − 1) / 2."),
        (f"{T * S // 2}", "True if the mask took half of every map."),
    ]
    asks = f"`use_causal_mask=True`, {T} queries, {S} keys. How many pairs of one head's map are masked?"
    return Question("masked_pairs", asks, options(rng, right, wrong), cfg, "attention", asked="q20")
