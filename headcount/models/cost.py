"""Cost of a model's attention: multiply-adds, memory for scores, key/value cache, and the longest context that fits a memory."""

from bisect import bisect_right
from dataclasses import dataclass

from headcount.models.attention import Attention
from headcount.models.model import Group, Model

#: Bytes of a number in bf16, the usual precision for serving these models.
BYTES = 2
MAX_CONTEXT, MAX_SEQUENCES = 1 << 24, 65_536


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of attention in all layers: multiply-adds, and bytes in bf16.
    - `projections`: multiply-adds of Q, K, V and latent vectors. `output`: multiply-adds of W_O.
    - `scores`, `weighting`: multiply-adds of the two products of attention, including pairs that a causal mask forbids.
    - `score_bytes`: memory of the scores in the layer with the most scores. FlashAttention never stores them.
    - `cache_bytes`: the key/value cache after the last token. `token_bytes`: what one more token in one sequence adds to it.
    - `late_token_bytes`: what one more token in one sequence adds to the cache after the sliding windows are full."""

    projections: int
    scores: int
    weighting: int
    output: int
    score_bytes: int
    cache_bytes: int
    token_bytes: int
    late_token_bytes: int

    @property
    def multiply_adds(self) -> int:
        return self.projections + self.scores + self.weighting + self.output


def cost(model: Model, context: int, sequences: int = 1) -> Cost:
    """Returns the cost of a model's attention. Encoder and decoder each read `context` tokens per sequence. A vision tower reads
    one picture per sequence. A layer with a window of w tokens has T · min(T, w) pairs of tokens."""
    projections = scores = weighting = output = score_bytes = 0
    for group in model.groups:
        attention, own = group.attention, group.tokens or context
        *inputs, joining = attention.matrices()
        pairs = sequences * own * ((group.layers - group.sliding) * own + group.sliding * min(own, group.window or own))
        projections += group.layers * own * sequences * sum(m.rows * m.cols for m in inputs)
        scores += pairs * attention.heads * attention.d_k
        weighting += pairs * attention.heads * attention.d_v
        output += group.layers * own * sequences * joining.rows * joining.cols
        widest = min(own, group.window) if group.sliding == group.layers else own
        score_bytes = max(score_bytes, BYTES * attention.heads * sequences * own * widest)
    late = sum(token_bytes(group, late=True) for group in model.groups)
    token = sum(token_bytes(group) for group in model.groups)
    return Cost(projections, scores, weighting, output, score_bytes, cache_bytes(model, context, sequences), token, late)


def token_bytes(group: Group, late: bool = False) -> int:
    """Returns the bytes that one token adds to a group's cache. If `late`, sliding windows are full, so their layers add none."""
    layers = group.layers - (group.sliding if late else 0)
    return BYTES * layers * group.attention.cached if group.cache else 0


def cache_bytes(model: Model, context: int, sequences: int) -> int:
    """Returns the bytes of all sequences' cache after `context` tokens each. Returns 0 if only one layer is known."""
    tokens = ((layers * each, min(context, window or context)) for layers, each, window in model.kept or ())
    return BYTES * sequences * sum(numbers * seen for numbers, seen in tokens)


def expanded_bytes(attention: Attention, layers: int) -> int:
    """Returns the bytes per token that a model with latent attention would cache if it cached every head's keys and values."""
    return BYTES * layers * attention.heads * (attention.d_k + attention.d_v)


def longest_context(model: Model, memory: int, sequences: int = 1) -> int:
    """Returns the largest number of tokens per sequence for which cache and weights fit `memory` bytes in bf16. Unknown weights
    and activations are not counted. Returns 0 if the weights do not fit. The most is the model's `positions`, or MAX_CONTEXT."""
    left = memory - BYTES * (model.total or 0)
    tried = range((model.positions or MAX_CONTEXT) + 1)
    fits = bisect_right(tried, left, key=lambda context: cache_bytes(model, context, sequences))
    return max(fits - 1, 0) if left > 0 else 0
