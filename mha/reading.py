"""What is shown of the networks trained on English: words that are typed, and the layer that reads them, kept by value."""

import threading
from dataclasses import dataclass

from mha.bounded_cache import BoundedCache
from mha.config import Config
from mha.cost import numbers_kept
from mha.custom_layer import MOST_ANSWERS, CustomLayer
from mha.language import store
from mha.language.network import layer
from mha.language.text import Sentence

#: Layers kept over all visitors: how many, and how many bytes with every answer of Keras that may be kept with one.
KEPT, KEPT_BYTES = 64, 16 << 20
LAYERS: BoundedCache[CustomLayer] = BoundedCache(KEPT, KEPT_BYTES)
LOCK = threading.Lock()
#: Characters of a word in a picture, and what stands behind one that the network does not know.
MOST_LETTERS, UNKNOWN = 14, "*"


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, and the number of the network's layer that reads it, from 1."""

    sentence: Sentence
    number: int

    def config(self, cfg: Config) -> Config:
        """The network's layer with the width and the heads of `cfg`: causal, and a position for each word."""
        return Config(cfg.d_model, cfg.num_heads, query_len=len(self.sentence.ids), mask="causal")

    def layer(self, cfg: Config) -> CustomLayer | None:
        """The layer on these words, the same object for the same words; None where `cfg` is not one of the networks' layers.

        mha.language.store.Broken where its file is not the one that was trained.
        """
        if (cfg.d_model, cfg.num_heads) not in store.SIZES or cfg != self.config(cfg):
            return None
        key = (cfg, self.sentence.ids, self.number)
        with LOCK:
            kept = LAYERS.get(key)
        if kept is None:
            kept = layer(store.load(cfg.d_model, cfg.num_heads), self.sentence.ids, self.number)
            with LOCK:
                LAYERS.put(key, kept, 4 * numbers_kept(cfg) * (1 + MOST_ANSWERS))
        return kept

    def why_not(self, cfg: Config) -> str:
        """Why no network has a layer like this, in a clause; "" where one has."""
        return why_not(cfg)

    @property
    def labels(self) -> tuple[str, ...]:
        """The words as rows and columns are called; one that the network does not know has a mark, and a question mark stands
        for each letter that cannot be printed."""
        pairs = zip(self.sentence.words, self.sentence.known, strict=True)
        return tuple(printable(word)[:MOST_LETTERS] + ("" if known else UNKNOWN) for word, known in pairs)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words that the network does not know, each once."""
        pairs = zip(self.sentence.words, self.sentence.known, strict=True)
        return tuple(dict.fromkeys(word for word, known in pairs if not known))


def printable(word: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in word)


def why_not(cfg: Config) -> str:
    """Why no network has a layer like this, in a clause; "" where one has."""
    widths = sorted({width for width, _ in store.SIZES})
    counts = sorted(heads for width, heads in store.SIZES if width == cfg.d_model)
    if not counts:
        return f"the trained networks have d_model {' or '.join(map(str, widths))}, not {cfg.d_model}"
    if cfg.num_heads not in counts:
        return f"at d_model {cfg.d_model} the trained networks have {', '.join(map(str, counts))} heads, not {cfg.num_heads}"
    if not cfg.follows_paper:
        return "the trained networks have the paper’s split, d_k = d_v = d_model / h"
    if not cfg.use_bias:
        return "the trained networks have biases"
    if cfg.use_gate or cfg.sliding_window is not None or cfg.drops:
        return "the trained networks have neither a gate nor a sliding window, and drop nothing"
    if not cfg.is_self_attention:
        return "the trained networks read one sequence, so there are as many keys as queries"
    return ""


def nearest(cfg: Config) -> tuple[int, int]:
    """Width and heads of the network that is most like `cfg`."""
    return min(sorted(store.SIZES), key=lambda size: (abs(size[0] - cfg.d_model), abs(size[1] - cfg.num_heads)))
