"""Quiz questions about the trained layer: its attention maps, its steps for one row, and answers that change without a head."""

from random import Random

import numpy as np

from headcount.config import Config
from headcount.forward import Trace
from headcount.ledger import count_parameters
from headcount.names import decimals
from headcount.reading import CUT_HEADS, Reading
from headcount.trained.sentence import D_MODEL, IS_PASSIVE, LENGTH, NAMES, QUESTIONS, Sentence, SentenceAnswer, sample_fields
from headcount.variations import without_head
from lessons.quiz.question import Clash, QuizQuestion, options

LAYER = Config(D_MODEL, CUT_HEADS, query_len=LENGTH)
#: The least largest weight of a clear row, and the least weight that a reason may name.
CLEAR, SEEN = 0.7, 0.05


def sentence(rng: Random, plain: bool = False) -> Sentence:
    """A random sentence like those of the training. `plain`: whether both verbs are active and only “in” occurs twice."""
    for fields in sample_fields(np.random.default_rng(rng.randrange(10_000)), 99 if plain else 1):
        if plain:
            fields[:, IS_PASSIVE] = 0
        first, second = fields.tolist()
        drawn = Sentence((tuple(first), tuple(second)))
        if not plain or len({*drawn.words}) == LENGTH - 1:
            return drawn
    raise Clash


def per_cent(share: float) -> str:
    """An attention weight as a percentage that is never rounded to 0% or 100%."""
    return "under 1%" if share < 0.005 else "over 99%" if share >= 0.995 else f"{share:.0%}"


def _read(reading: Reading, cfg: Config = LAYER, off: int | None = None) -> tuple[Trace, list[SentenceAnswer]]:
    """The trace of the layer `cfg` on a sentence, and all answers. `off`: a head (from 0) that is switched off. Raises Clash if
    no trained layer has these sizes."""
    if (layer := reading.layer(cfg)) is None:
        raise Clash
    trace = layer.trace() if off is None else without_head(layer.trace(), off)
    return trace, [*reading.answers(cfg, trace.output.values)]


def _at_last_verb(reading: Reading, cfg: Config = LAYER, off: int | None = None) -> tuple[Trace, list[SentenceAnswer]]:
    """The trace as from `_read`, and only the answers at the sentence's last verb."""
    trace, every = _read(reading, cfg, off)
    return trace, [one for one in every if one.row == reading.sentence.last_verb]


def she(rng: Random) -> QuizQuestion:
    read = sentence(rng, plain=True)
    trace, every = _read(Reading(read))
    means = next((one for one in every if one.question == "means" and one.is_right), None)
    if means is None:
        raise Clash
    rows = trace.weights.values[0, :, means.row]
    head = int(rows[:, means.right_at].argmax())
    row, words = rows[head], read.words
    if row.argmax() != means.right_at or row.max() < CLEAR:
        raise Clash
    right = (means.right, f"“{means.right}” has {per_cent(row.max())} of the row of “{means.word}”: the strongest cell.")
    wrong = [
        (word, f"“{word}” has {per_cent(share)} of the row of “{means.word}”.")
        for word, share in zip(words, row, strict=True) if word in NAMES and word != means.right
    ]  # fmt: skip
    wrong.append(("the map does not tell", f"The map tells: one cell of the row of “{means.word}” has {per_cent(row.max())}."))
    asks = f"A trained layer reads “{read.text}”, and this is one head's map. By the map, who is “{means.word}”?"
    return QuizQuestion(
        "she", asks, options(rng, right, wrong), LAYER, "attention", paper=True, asking=means.row,
        choices=(("head", head + 1), ("tokens", read.text)),
    )  # fmt: skip


def which_head(rng: Random) -> QuizQuestion:
    read, question = sentence(rng, plain=True), rng.choice(QUESTIONS)
    reading = Reading(read)
    head = next((head for head, (name, _) in enumerate(reading.head_names(LAYER)) if name == question), None)
    trace, asked = _at_last_verb(reading)
    if head is None or any(not one.is_right for one in asked):
        raise Clash
    row, verb = trace.weights.values[0, head, read.last_verb], read.words[read.last_verb]
    at = {one.question: one.right_at for one in asked}
    if row.argmax() != at[question] or row.max() < CLEAR:
        raise Clash
    said = {
        name: f"“{read.words[place]}”, the answer to “{name}”, has {per_cent(row[place])} of the row of “{verb}”"
        for name, place in at.items()
    }
    right = (question, f"{said[question]}, more than any other word.")
    wrong = [(name, f"{said[name]}.") for name in QUESTIONS if name != question]
    asks = f"A trained layer reads “{read.text}”, and this is one head's map. What does the head look for at “{verb}”?"
    return QuizQuestion(
        "which_head", asks, options(rng, right, wrong), LAYER, "attention", paper=True, asking=read.last_verb,
        choices=(("head", head + 1), ("tokens", read.text)),
    )  # fmt: skip


def one_head(rng: Random) -> QuizQuestion:
    reading, single = Reading(sentence(rng, plain=True)), LAYER.with_heads(1, paper=True)
    (trace, alone), (_, asked) = _at_last_verb(reading, single), _at_last_verb(reading)
    failed = next((one for one in alone if not one.is_right), None)
    if failed is None or any(not one.is_right for one in asked):
        raise Clash
    read, row = reading.sentence, trace.weights.values[0, 0, failed.row]
    first, second = (int(place) for place in row.argsort()[:-3:-1])
    if row[second] < SEEN or count_parameters(single) != count_parameters(LAYER):
        raise Clash
    shares = f"{per_cent(row[first])} at “{read.words[first]}”, {per_cent(row[second])} at “{read.words[second]}”"
    right = ("one mix for all questions", f"One head has one row of weights for the word: {shares}. Four heads have four rows.")
    wrong = [
        ("fewer parameters", f"Both layers have {count_parameters(single):,} parameters."),
        ("less of X", f"One head reads all {LAYER.d_model} numbers of each word, and so does each of four heads."),
        ("a small key size", f"One head has key size {single.key_dim}, and each of four heads has only {LAYER.key_dim}."),
    ]
    asks = (
        f"Two trained layers, with four heads and with one head, read “{read.text}”. Asked “{failed.question}” at "
        f"“{failed.word}”, four heads say {failed.right}, and one head says {failed.given}. Why does one head fail?"
    )
    return QuizQuestion(
        "one_head", asks, options(rng, right, wrong), LAYER, "why_several", paper=True,
        choices=(("sentence", read.text), ("asking", failed.row + 1)),
    )  # fmt: skip


def softmax(rng: Random) -> QuizQuestion:
    reading, head = Reading(sentence(rng, plain=True)), rng.randrange(CUT_HEADS)
    trace, asked = _at_last_verb(reading)
    read = reading.sentence
    verb, scores, row = read.last_verb, *(a.values[0, head, read.last_verb] for a in (trace.scaled, trace.weights))
    order = scores.argsort()
    (least, second, most), total = order[[0, -2, -1]], float(trace.weights.values[0, head, :, order[-1]].sum())
    quotient = float((scores / scores.sum()).min())
    if most not in {one.right_at for one in asked} or row[second] < SEEN or abs(total - 1) < SEEN or quotient > -SEEN:
        raise Clash
    words = [read.words[int(place)] for place in (least, second, most)]
    right = (
        "weights in the same order",
        f"The weights sum to 1, and the largest score gets the largest weight: {per_cent(row[most])} for “{words[2]}”, then "
        f"{per_cent(row[second])} for “{words[1]}”.",
    )
    wrong = [
        (
            "the largest alone",
            "True of a hard maximum, which keeps only the largest score. Here the second largest score, that of "
            f"“{words[1]}”, gets {per_cent(row[second])}.",
        ),
        ("scores / their sum", f"Then one weight would be {decimals(quotient)}, but no weight is below 0."),
        ("columns that sum to 1", f"The rows sum to 1. The column of “{words[2]}” sums to {decimals(total)}."),
    ]
    asks = (
        f"A trained layer reads “{read.text}”. In head {head + 1} the scores of “{read.words[verb]}”, divided by √d_k, go from "
        f"{decimals(float(scores[least]), 1)} to {decimals(float(scores[most]), 1)}. What does the softmax make of this row?"
    )
    return QuizQuestion(
        "softmax", asks, options(rng, right, wrong), LAYER, "one_query", paper=True,
        choices=(("head", head + 1), ("tokens", read.text)),
    )  # fmt: skip


def w_o_adds(rng: Random) -> QuizQuestion:
    read, head = sentence(rng, plain=True), rng.randrange(CUT_HEADS)
    (trace, _), (without, _) = _read(Reading(read)), _read(Reading(read), off=head)
    changed = int((np.abs(without.output.values[0] - trace.output.values[0]).max(axis=0) > 0).sum())
    verb, D, v = read.last_verb, LAYER.d_model, LAYER.value_dim
    parts = np.einsum("hv,hv->h", trace.context.values[0, verb], trace.params.w_o.values[:, :, 0])
    before, after = trace.concat.values[0, verb, 0], trace.output.values[0, verb, 0]
    if changed < D or np.abs(parts).min() < SEEN or abs(before - after) < SEEN:
        raise Clash
    right = ("a mix of all heads", f"Without head {head + 1}, all {changed} columns of the output change, not only {v} of them.")
    wrong = [
        ("more columns", f"{CUT_HEADS * v} columns go in, and {D} come out."),
        ("the best head",
         f"W_O adds up a part from every head. At “{read.words[verb]}”, in column 1, heads 1 to {CUT_HEADS} add "
         f"{', '.join(decimals(float(part)) for part in parts)}."),
        ("nothing",
         f"At “{read.words[verb]}”, column 1 is {decimals(float(before))} before W_O, and {decimals(float(after))} after."),
    ]  # fmt: skip
    asks = (
        f"A trained layer reads “{read.text}”. The outputs of its {CUT_HEADS} heads, {v} columns each, are side by side. "
        "What does W_O add?"
    )
    return QuizQuestion(
        "w_o_adds", asks, options(rng, right, wrong), LAYER, "concatenation", paper=True, choices=(("tokens", read.text),),
    )  # fmt: skip


def finds(rng: Random) -> QuizQuestion:
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
    most = per_cent(float(weights.max()))
    taken = (right.right, f"This word has {most} of the row of “{verb}”. The head follows the word's role, not its position.")
    wrong = [(one.right, f"That word answers “{one.question}”.") for one in asked if one is not right]
    asks = f"The trained layer reads “{read.text}”. At which word does the head named “{question}” look most from “{verb}”?"
    return QuizQuestion(
        "finds", asks, options(rng, taken, wrong), LAYER, "attention", paper=True,
        choices=(("head", head + 1), ("tokens", read.text)),
    )  # fmt: skip


def falls(rng: Random) -> QuizQuestion:
    reading, head = Reading(sentence(rng)), rng.randrange(CUT_HEADS)
    (trace, asked), (_, after) = _at_last_verb(reading), _at_last_verb(reading, off=head)
    fallen = [now.question for one, now in zip(asked, after, strict=True) if one.given != now.given]
    if len(fallen) != 1 or any(not one.is_right for one in asked):
        raise Clash
    row, text, words = reading.sentence.last_verb, reading.sentence.text, reading.sentence.words
    seen = words[int(trace.weights.values[0, head, row].argmax())]
    verb = words[row]
    right = (fallen[0], f"This answer is wrong without head {head + 1}, and the three other answers stay right.")
    stays = f"That answer stays right without head {head + 1}."
    wrong = [(one.question, stays) for one in asked if one.question != fallen[0]]
    asks = (
        f"The trained layer reads “{text}”. Its head {head + 1}, which looks most at “{seen}” from “{verb}”, is switched off. "
        f"Which answer at “{verb}” becomes wrong?"
    )
    return QuizQuestion(
        "falls", asks, options(rng, right, wrong), LAYER, "concatenation", paper=True,
        choices=(("head_off", head + 1), ("tokens", text)),
    )  # fmt: skip
