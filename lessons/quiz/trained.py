"""Questions about the trained layer of the pages: where its heads look, and which answers fall without one."""

from random import Random

import numpy as np

from headcount.config import Config
from headcount.forward import Trace
from headcount.reading import CUT_HEADS, Reading
from headcount.trained.sentence import D_MODEL, LENGTH, QUESTIONS, Answer, Sentence, draw_fields
from headcount.variations import without_head
from lessons.quiz.question import Clash, Question, kind, options

LAYER = Config(D_MODEL, CUT_HEADS, query_len=LENGTH)


def sentence(rng: Random) -> Sentence:
    """Any that the networks were trained on."""
    first, second = draw_fields(np.random.default_rng(rng.randrange(10_000)), 1)[0].tolist()
    return Sentence((tuple(first), tuple(second)))


def _at_last_verb(reading: Reading, off: int | None = None) -> tuple[Trace, list[Answer]]:
    """The layer's numbers on the sentence, and what it answers at the last verb; `off`: a head (0-based) that is switched off."""
    if (layer := reading.layer(LAYER)) is None:
        raise Clash
    trace = layer.trace() if off is None else without_head(layer.trace(), off)
    return trace, [one for one in reading.answers(LAYER, trace.output.values) if one.row == reading.sentence.last_verb]


@kind
def finds(rng: Random) -> Question:
    """The word that a named head looks at most from the last verb: whoever did it, wherever that word stands."""
    read, question = sentence(rng), rng.choice(QUESTIONS)
    reading = Reading(read)
    head = next((head for head, (name, _) in enumerate(reading.head_names(LAYER)) if name == question), None)
    trace, asked = _at_last_verb(reading)
    if head is None or any(not one.is_right for one in asked):
        raise Clash
    weights = trace.weights.values[0, head, read.last_verb]
    right = next(one for one in asked if one.question == question)
    if int(weights.argmax()) != right.right_at:
        raise Clash
    verb = read.words[read.last_verb]
    taken = (right.right, f"It has {weights.max():.0%} of that row of the map. The head follows the role, not the place.")
    wrong = [(one.right, f"That word is {one.question}, which another head finds.") for one in asked if one is not right]
    asks = f"The trained layer reads “{read.text}”. At which word does the head named “{question}” look most from “{verb}”?"
    return Question(
        "finds", asks, options(rng, taken, wrong), LAYER, "attention", paper=True,
        choices=(("head", head + 1), ("tokens", read.text)), related="q39",
    )  # fmt: skip


@kind
def falls(rng: Random) -> Question:
    """The answer at the last verb that goes wrong without one head."""
    reading, head = Reading(sentence(rng)), rng.randrange(CUT_HEADS)
    (trace, asked), (_, after) = _at_last_verb(reading), _at_last_verb(reading, head)
    fallen = [now.question for one, now in zip(asked, after, strict=True) if one.given != now.given]
    if len(fallen) != 1 or any(not one.is_right for one in asked):
        raise Clash
    row, text, words = reading.sentence.last_verb, reading.sentence.text, reading.sentence.words
    seen = words[int(trace.weights.values[0, head, row].argmax())]
    verb = words[row]
    right = (fallen[0], "Only that head brought its answer; the three others stay right.")
    stays = f"That answer stays right without head {head + 1}."
    wrong = [(one.question, stays) for one in asked if one.question != fallen[0]]
    asks = (
        f"The trained layer reads “{text}”. Its head {head + 1}, which looks most at “{seen}” from “{verb}”, is switched off. "
        f"Which answer at “{verb}” falls?"
    )
    return Question(
        "falls", asks, options(rng, right, wrong), LAYER, "concatenation", paper=True,
        choices=(("head_off", head + 1), ("tokens", text)), related="q40",
    )  # fmt: skip
