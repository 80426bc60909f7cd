"""Sentence for the trained networks: the layer for a Config, the words and the networks' answers."""

import math
from dataclasses import dataclass

import numpy as np

from headcount.arrays import Floats
from headcount.bounded_cache import BoundedCache
from headcount.config import Config
from headcount.cost import numbers_kept
from headcount.custom_layer import MAX_ANSWERS, CustomLayer
from headcount.trained import stops, store
from headcount.trained.network import Network, params_and_inputs, predict
from headcount.trained.sentence import LENGTH, Sentence, SentenceAnswer, answers, asked_rows, head_names

#: Limits on the trained layers that the server caches for all visitors: their number, and their bytes including Keras's results.
KEPT, KEPT_BYTES = 64, 16 << 20
LAYERS: BoundedCache[CustomLayer] = BoundedCache(KEPT, KEPT_BYTES)
#: Number of heads of the network whose layer a figure divides into more or fewer heads.
CUT_HEADS = 4
#: The remark on the rows that `pale_rows` lists.
GREY_ROWS = "Grey rows answer no question."


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence for trained networks. Each method uses the network whose layer has the sizes of `cfg`. If `cut`, and if `cfg`
    follows the paper, the methods take the network with four heads. They divide its matrices into the heads of `cfg`."""

    sentence: Sentence
    cut: bool = False

    def why_not(self, cfg: Config) -> str:
        return why_not(cfg) or why_not(self._whole(cfg))

    def name(self, cfg: Config) -> str:
        """Returns the name of the network for these sizes. Returns "" if there is no such network."""
        return "" if self.why_not(cfg) else network_name(self._whole(cfg))

    def _whole(self, cfg: Config) -> Config:
        """Returns the Config of the trained network: `cfg`, or `cfg` with four heads if the network is cut into other heads."""
        return cfg.with_heads(CUT_HEADS, paper=True) if self.cut and cfg.follows_paper else cfg

    def network(self, cfg: Config) -> Network:
        """Returns the network for these sizes; `why_not` must be "". Raises `Broken` if a file is missing or changed."""
        network = store.load(network_name(self._whole(cfg)))
        return network if network.heads == cfg.num_heads else network.cut_for(cfg.num_heads)

    def layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the trained layer with this sentence as input, or None if no network has it. Raises `Broken` like `network`."""
        if self.why_not(cfg):
            return None
        key = (cfg, self)
        if (kept := LAYERS.get(key)) is None:
            kept = CustomLayer(cfg, *params_and_inputs(self.network(cfg), self.sentence.examples.tokens))
            LAYERS.put(key, kept, 4 * numbers_kept(cfg) * (1 + MAX_ANSWERS))
        return kept

    @property
    def labels(self) -> tuple[str, ...]:
        """The words of the sentence, as labels of rows and columns."""
        return self.sentence.words

    def head_names(self, cfg: Config) -> tuple[tuple[str, float], ...]:
        """Returns two facts for each head: its name (a question or "blends"), and its largest mean attention weight on a
        question's answers. Returns () if `cfg` has a mask, or if the network was trained with another number of heads."""
        if cfg.masked or self._whole(cfg) != cfg:
            return ()
        on_answer = np.array(facts(cfg)["on_answer"])
        return tuple(zip(head_names(on_answer), map(float, on_answer.max(axis=0)), strict=True))

    def answers(self, cfg: Config, output: Floats) -> tuple[SentenceAnswer, ...]:
        """Returns the network's answers for the first sample of a layer output, axes "btm", which may have been changed."""
        return answers(self.sentence, predict(self.network(cfg), output)[0])


def pale_rows(reading: Reading | None) -> tuple[int, ...]:
    """Lists the 0-based positions without a question. Attention maps show their rows pale. Returns () without a `reading`."""
    return () if reading is None else tuple(sorted({*range(LENGTH)} - {*asked_rows(reading.sentence)}))


def sizes_of(cfg: Config) -> stops.Sizes:
    return cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim


def network_name(cfg: Config) -> str:
    """Returns the name of the network with these sizes, such as "sentence-4". Returns "" if no such network is shipped."""
    name = stops.NETWORKS.get(sizes_of(cfg), "")
    return name if is_shipped(name) else ""


def is_shipped(name: str) -> bool:
    """Returns whether the network is shipped. For a name that begins with "stops", the manifest decides."""
    try:
        return not name.startswith("stops") or name in store.manifest("stops")["networks"]
    except store.Broken:
        return False


def facts(cfg: Config) -> store.Facts:
    """Returns the manifest's facts about the network of these sizes. Raises `Broken` if no network has these sizes."""
    name = network_name(cfg)
    return store.manifest(name.partition("-")[0])["networks"][name]


def nearest(cfg: Config) -> stops.Sizes:
    """Returns the trained sizes nearest to `cfg`, by the sum of |log2(ratio)|. They follow the paper if `cfg` does."""
    paper, here = cfg.follows_paper, sizes_of(cfg)
    count = 2 if paper else 4  # in the paper's convention the other sizes follow
    found = (
        one for one, name in stops.NETWORKS.items()
        if is_shipped(name) and (not paper or one[1] * one[2] == one[0] == one[1] * one[3])
    )  # fmt: skip
    return min(found, key=lambda one: (sum(abs(math.log2(a / b)) for a, b in zip(one[:count], here, strict=False)), one))


def why_not(cfg: Config) -> str:
    """Returns a clause with the reason why no trained network has this layer. Returns "" if a network has it."""
    if not network_name(cfg):
        return "no layer of these sizes was trained"
    if not cfg.use_bias:
        return "the trained layer has biases"
    if cfg.use_gate or cfg.drops or cfg.qk_norm != "none" or cfg.sinks:
        return "the trained layer has no gate, norm or sink, and drops nothing"
    if (cfg.query_len, cfg.key_len, cfg.batch) != (LENGTH, LENGTH, 1):
        return f"the sentence has {LENGTH} words, so the trained layer has T = S = {LENGTH}"
    return ""
