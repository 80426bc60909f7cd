"""What is shown of the trained layer: the sentence that it reads, its numbers for a Config, its answers."""

from dataclasses import dataclass

import numpy as np

from mha.arrays import Floats
from mha.bounded_cache import BoundedCache
from mha.config import Config
from mha.cost import numbers_kept
from mha.custom_layer import MAX_ANSWERS, CustomLayer
from mha.trained import store
from mha.trained.network import Network, params_and_inputs, predict
from mha.trained.sentence import (
    D_MODEL,
    HEADS,
    KERAS_HEADS,
    KEY_DIM,
    LENGTH,
    Answer,
    Sentence,
    answers,
    asked_rows,
    head_names,
)

#: Layers kept over all visitors: how many, and how many bytes with every answer of Keras that may be kept with one.
KEPT, KEPT_BYTES = 64, 16 << 20
LAYERS: BoundedCache[CustomLayer] = BoundedCache(KEPT, KEPT_BYTES)
#: The network whose numbers are cut where all head counts cut one layer.
CUT_HEADS = 4
#: What is said of the rows of its maps that `unasked` lists.
GREY_ROWS = "Grey rows answer no question."


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, read by the network trained with the heads of a Config. `cut`: by the one trained with four heads, its matrices
    cut for as many as the Config has, and no network in Keras's way."""

    sentence: Sentence
    cut: bool = False

    def config(self, cfg: Config) -> Config:
        """`cfg` itself: the sentence has the positions that `why_not` asks for."""
        return cfg

    def why_not(self, cfg: Config) -> str:
        """Why no network has a layer like this, in a clause; "" where one has."""
        if self.cut and not cfg.follows_paper:
            return "only in the paper's way every head count cuts the trained layer"
        return why_not(cfg)

    def network(self, cfg: Config) -> Network:
        """The network whose layer has these sizes. KeyError where there is none, `Broken` for a changed file."""
        return store.load(f"sentence-{CUT_HEADS}").cut_for(cfg.num_heads) if self.cut else store.load(network_name(cfg))

    def layer(self, cfg: Config) -> CustomLayer | None:
        """The layer on this sentence, the same object for the same words; None where `cfg` is not one of the networks' layers.
        Raises `Broken` where its file is not the one that was trained."""
        if self.why_not(cfg):
            return None
        key = (cfg, self)
        if (kept := LAYERS.get(key)) is None:
            kept = CustomLayer(cfg, *params_and_inputs(self.network(cfg), self.sentence.examples.tokens))
            LAYERS.put(key, kept, 4 * numbers_kept(cfg) * (1 + MAX_ANSWERS))
        return kept

    @property
    def unasked(self) -> tuple[int, ...]:
        """The rows (0-based) of the maps that bear on no answer."""
        return tuple(sorted({*range(LENGTH)} - {*asked_rows(self.sentence)}))

    @property
    def labels(self) -> tuple[str, ...]:
        """The words, as rows and columns are called."""
        return self.sentence.words

    def head_names(self, cfg: Config) -> tuple[tuple[str, float], ...]:
        """What each head of the network is called, a question or "blends", and its largest mean weight on a question's answers
        over the fixed sentences; none where the network was trained with other heads than it is cut for, or without the mask."""
        if cfg.masked or (self.cut and cfg.num_heads != CUT_HEADS):
            return ()
        on_answer = np.array(store.manifest("sentence")["networks"][network_name(cfg)]["on_answer"])
        return tuple(zip(head_names(on_answer), map(float, on_answer.max(axis=0)), strict=True))

    def answers(self, cfg: Config, output: Floats) -> tuple[Answer, ...]:
        """What the network answers to each question of the sentence. `output`, axes "btm": its layer's, as trained or changed."""
        return answers(self.sentence, predict(self.network(cfg), output)[0])


def network_name(cfg: Config) -> str:
    """The network with these sizes: "sentence-4", in Keras's way "sentence-8-key4"; "" where there is none."""
    if cfg.d_model != D_MODEL or cfg.key_dim != cfg.value_dim:
        return ""
    if cfg.follows_paper:
        return f"sentence-{cfg.num_heads}" if cfg.num_heads in HEADS else ""
    return f"sentence-{cfg.num_heads}-key{KEY_DIM}" if cfg.key_dim == KEY_DIM and cfg.num_heads in KERAS_HEADS else ""


def why_not(cfg: Config) -> str:
    """Why no network has a layer like this, in a clause; "" where one has."""
    if cfg.d_model != D_MODEL:
        return f"the trained layer has d_model {D_MODEL}, not {cfg.d_model}"
    if not network_name(cfg):
        return (
            f"at d_model {D_MODEL} networks were trained with {', '.join(map(str, HEADS))} heads of d_model / h, and with "
            f"{', '.join(map(str, KERAS_HEADS))} heads of {KEY_DIM}"
        )
    if not cfg.use_bias:
        return "the trained layer has biases"
    if cfg.use_gate or cfg.drops or cfg.qk_norm != "none" or cfg.sinks:
        return "the trained layer has no gate, norm or sink, and drops nothing"
    if (cfg.query_len, cfg.key_len, cfg.batch) != (LENGTH, LENGTH, 1):
        return f"the sentence has {LENGTH} words, so the trained layer has T = S = {LENGTH}"
    return ""
