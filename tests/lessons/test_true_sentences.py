"""The lesson's sentences are checked in another way: rates by the training report, orders by sorting, definitions on a layer with
prime sizes, colours' names by the theme."""

import colorsys
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from components.presenter.walk import says
from headcount import Config, run
from headcount.assets import ASSETS
from headcount.export.style import COLOUR_WORDS, THEMES
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import DEFAULT
from lessons.glossary import GLOSSARY
from lessons.quiz import deck
from lessons.walk import STEPS

TRAINED = json.loads((ASSETS / "trained" / "report.json").read_text())["sentence"]
MADE = json.loads((ASSETS / "trained" / "manifest.json").read_text())["sentence"]
PUBLISHED = json.loads((ASSETS / "published_models.json").read_text())
CFG = Config(14, 3, 5, 7, query_len=11, key_len=13, mask="causal", seed=2)
TRACE = run(CFG)
#: The paper's table 3 (A): heads and BLEU.
TABLE_3 = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}


def said(figure: str, place: int = 0) -> str:
    """The sentences of the walk's steps that have this picture."""
    return [says(step) for step in STEPS if step.figure == figure][place]


def share_right(heads: int, question: int) -> str:
    """The rate of right answers of the run with the shown seed."""
    (run_,) = [one for one in TRAINED["runs"][f"sentence-{heads}"] if one["seed"] == MADE["seed"]]
    return f"{run_['accuracy'][question]:.0%}"


def test_the_walks_rates_are_those_of_the_trained_report_and_several_heads_have_the_better_one():
    found = re.search(r"one head has (\d+%) right answers\. .* Four heads have .*, and (\d+%) right answers\.", said("both"))
    one, four = found.groups()
    assert (one, four) == (share_right(1, 1), share_right(4, 1))
    assert float(one[:-1]) < 50 < float(four[:-1])
    assert f"in {TRAINED['examples']:,} sentences" in said("both")


def test_what_one_head_blends_and_what_four_look_at_is_so_in_the_trained_layers():
    words = list(DEFAULT.words)
    verb, she = words.index("thanks"), words.index("she")
    maps = forward(store.load("sentence-4"), DEFAULT.examples.tokens).trace.weights.values[0]
    found = {words[max(range(13), key=lambda key, head=head: maps[head, verb, key])] for head in range(4)}
    told = said("attention", 1)
    assert "From “thanks”, one head looks for who, one for whom, one for where and one for when" in told
    assert found == {"she", "Carl", "Oslo", "later"}, "who, whom, where and when"
    assert re.search(r"the first head looks at “(\w+)”", told)[1] == words[int(maps[0, she].argmax())]
    one = forward(store.load("sentence-1"), DEFAULT.examples.tokens)
    lone = one.trace.weights.values[0, 0, she]
    assert f"“{words[int(lone.argmax())]}” gets {lone.max():.2f}" in said("row")


def test_the_best_head_counts_of_the_paper_and_the_usual_widths_of_published_heads():
    best = [heads for heads, score in TABLE_3.items() if score == max(TABLE_3.values())]
    widths = Counter(model["groups"][0]["attention"]["d_k"] for model in PUBLISHED if model["row"] != "blog")
    usual = sorted(size for size, _ in widths.most_common(2))
    assert f"The paper tried 1 to 32 heads: {best[0]} and {best[1]} are the best by BLEU" in said("right_answers")
    assert f"In most published models here, a head is {usual[0]} or {usual[1]} wide" in said("right_answers")


#: What a word of the glossary says, and whether it is so on a layer in which every size is another.
HOLDS = {
    "head": ("queries, keys and values of its own", TRACE.q.shape[2] == TRACE.k.shape[2] == TRACE.v.shape[2] == 3),
    "X": ("a row of numbers for each token", TRACE.x_query.shape == (1, 11, 14)),
    "d_{model}": ("numbers a token has, in X and in the output", TRACE.x_query.shape[-1] == TRACE.output.shape[-1] == 14),
    "W_{O}": ("mixes the results of all heads into the output", np.allclose(
        np.einsum("thv,hvm->tm", TRACE.context.values[0], TRACE.params.w_o.values) + TRACE.params.b_o.values,
        TRACE.output.values[0], atol=1e-4,
    )),
    "key size": ("How many numbers a query and a key have in each head", TRACE.q.shape[-1] == TRACE.k.shape[-1] == 5),
    "bias": ("A row of numbers that is added to every row of a matrix product", np.allclose(
        TRACE.output.values[0] - TRACE.concat.values[0] @ TRACE.params.w_o.values.reshape(21, 14), TRACE.params.b_o.values,
        atol=1e-4,
    )),
    "parameter": ("an entry of a weight matrix or of a bias", sum(
        getattr(TRACE.params, name).values.size for name in ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o")
    ) == 3 * 14 * (5 + 5 + 7) + 3 * 17 + 3 * 7 * 14 + 14),
    "softmax": ("weights that sum to 1; a higher score gets a larger weight", all(
        np.isclose(row.sum(), 1) and [*np.argsort(row[:t + 1])] == [*np.argsort(score[:t + 1])]
        for t, (row, score) in enumerate(zip(TRACE.weights.values[0, 1], TRACE.scaled.values[0, 1], strict=True))
    )),
    "mask": ("their weight is 0", (TRACE.weights.values[~np.isfinite(TRACE.masked.values)] == 0).all()),
    "map": ("a row for each query, a column for each key", TRACE.weights.shape[2:] == (CFG.query_len, CFG.key_len) == (11, 13)),
}  # fmt: skip


@pytest.mark.parametrize("word", HOLDS)
def test_a_definition_holds_on_a_layer_of_primes(word: str):
    phrase, holds = HOLDS[word]
    assert phrase in GLOSSARY[word]
    assert holds


def test_each_kernel_makes_what_the_lesson_says_and_a_map_has_a_row_for_each_query_wherever_that_is_said():
    made = {"q": "queries", "k": "keys", "v": "values"}
    assert {*HOLDS} | {"W_{Q}"} == {*GLOSSARY}
    x = TRACE.x_query.values[0], TRACE.x_key.values[0], TRACE.x_key.values[0]
    for (name, word), into in zip(made.items(), x, strict=True):
        product = np.einsum("tm,mhd->thd", into, TRACE[f"w_{name}"].values) + TRACE[f"b_{name}"].values
        assert np.allclose(product, TRACE[name].values[0], atol=1e-4)
        assert re.search(rf"W_{{{name.upper()}}}( makes)? {word}", GLOSSARY["W_{Q}"])
        one = {"queries": "query"}.get(word, word.removesuffix("s"))
        assert re.search(rf"\$W_{name.upper()}\$ (gives )?a {one}", said("tables"))
    (asked,) = [q for q in deck(0) if q.kind == "weights"]
    for text in (GLOSSARY["map"], said("attention", 1), asked.options[asked.answer].why):
        assert re.search(r"a row for each query(,| and) a column for each key", text)


def test_what_a_query_a_key_and_a_value_ask_is_what_changes_with_them():
    """A query's row of the scores is what it looks for, a key's column is how it is found, and no score depends on a value."""
    q, k = TRACE.q.values[0, :, 1], TRACE.k.values[0, :, 1]
    other = {"Q": (7, None), "K": (None, 3), "V": (None, None)}
    asks = {"Q": "what do I look for?", "K": "what can I be found by?", "V": "what do I give?"}
    assert dict(re.findall(r"\$W_(\w)\$ (?:gives )?a \w+ \((.*?)\)", said("tables"))) == asks
    for name, (row, column) in other.items():
        changed = [array.copy() for array in (q, k, TRACE.v.values[0, :, 1])]
        changed["QKV".index(name)][row or column or 5] += 1
        moved = np.argwhere(~np.isclose(changed[0] @ changed[1].T, q @ k.T))
        assert {*moved[:, 0]} == ({row} if row else {*range(11)} if column else set())
        assert {*moved[:, 1]} == ({column} if column else {*range(13)} if row else set())


#: Hues in degrees, and the least share of colour that makes one of them.
HUES = {"brown": (10, 45), "teal": (165, 200), "violet": (250, 300), "purple": (250, 300), "blue": (200, 250), "green": (80, 160)}


def hue_and_light(colour: str) -> tuple[float, float]:
    hue, light, _ = colorsys.rgb_to_hls(*(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))
    return 360 * hue, light


@pytest.mark.parametrize("name", THEMES)
def test_the_colours_that_captions_name_are_those_of_the_theme_and_at_the_ends_that_they_name(name: str):
    """Pale and bright are light, deep is dark. In print, numbers farther from 0 are darker."""
    theme, words = THEMES[name], COLOUR_WORDS[name]
    signed, share = words["signed"].lower(), words["share"].lower()
    if name == "print":
        assert "the darker, the farther from 0" in signed
        assert "the darker, the larger" in share
        light, shares = ([hue_and_light(colour)[1] for colour in colours] for colours in (theme.signed, theme.share))
        assert light == light[::-1]
        assert sorted(light[len(light) // 2 :], reverse=True) == light[len(light) // 2 :]
        assert sorted(shares, reverse=True) == shares
        return
    above, below = re.fullmatch(r"(\w+) is above 0, (\w+) below\.", signed).groups()
    for word, colours in ((above, theme.signed[-3:]), (below, theme.signed[:3])):
        assert all(HUES[word][0] <= hue_and_light(colour)[0] <= HUES[word][1] for colour in colours), (word, colours)
    word, start, end = re.fullmatch(r"(\w+): from 0 \((\w+)\) to 1 \((\w+)\)\.", share).groups()
    assert all(HUES[word][0] <= hue_and_light(colour)[0] <= HUES[word][1] for colour in theme.share[3:])
    first, last = (hue_and_light(theme.share[place])[1] for place in (0, -1))
    assert (first > last) == (start in ("pale", "bright")) == (end in ("deep", "dark"))


def test_no_other_text_names_a_hue_of_a_scale():
    """A text that names one belongs among those that are compared with the theme."""
    there = {
        path.name
        for folder in ("components", "headcount", "lessons", "pages")
        for path in (ASSETS.parent / folder).rglob("*.py")
        if re.search(r"\b(brown|teal|violet|purple)\b", without_comments(path), re.IGNORECASE)
    }
    assert there == {"style.py"}


def without_comments(path: Path) -> str:
    return re.sub(r"#.*", "", re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
