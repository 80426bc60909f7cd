"""Pictures of published models: their geometry shows the sizes, and their words give the same numbers."""

import math
from dataclasses import replace

import pytest

from headcount.models.attention import Attention, Latent
from headcount.models.conventions import head_counts
from headcount.models.cost import cost
from headcount.models.entry import entries
from headcount.models.model import Model
from headcount.stage.diagram import Arrow, Box, Diagram
from headcount.stage.pictures.published import bars, matrices, plane, sharing, sweeps
from headcount.stage.text import bytes_in_words, compact
from tests.stage.reading import labels_of, lying_on_another

GROUPED = Attention(60, 6, 2, 10, 10, True, False, refusal="no")
GATED = replace(GROUPED, gate=True)
LATENT = Attention(58, 3, 3, 12, 11, False, True, latent=Latent(13, 17, 7, 5))
TABLE = [(slug, entry.model) for slug, entry in entries().items()]


def module(attention: Attention) -> matrices.Module:
    return matrices.Module(
        f"{attention.heads} heads", "as published", attention.count, "parameters", matrices.lines_of(attention)
    )


def rectangles(drawn: Diagram) -> list[tuple[float, float]]:
    """Width and height of the matrices."""
    return [(box.rect.w, box.rect.h) for box in drawn.of(Box) if box.fill == "panel"]


@pytest.mark.parametrize("attention", [GROUPED, GATED, LATENT, *(model.attention for _, model in TABLE[::7])])
def test_area_means_weights_in_every_matrix_of_both_modules(attention: Attention):
    more = attention.with_heads(2 * attention.heads)
    drawn = [w * h for w, h in rectangles(matrices.draw([module(attention), module(more)]))]
    weights = [m.rows * m.cols for one in (attention, more) for m in one.matrices()]
    assert min(drawn) > 1
    assert [area / drawn[0] for area in drawn] == pytest.approx([count / weights[0] for count in weights], rel=1e-6)


def test_each_matrix_is_cut_into_the_hues_of_its_heads_and_w_o_across():
    """60 wide: W_Q has 6 columns of slices for 6 heads, W_K and W_V two for 2 key/value heads, W_O 6 rows; then 12, 2, 2, 12."""
    drawn = matrices.draw([module(GROUPED), module(GROUPED.with_heads(12))])
    pieces = [box for box in drawn.of(Box) if box.fill == "hue"]
    assert [box.hue for box in pieces] == [*range(6), 0, 1, 0, 1, *range(6), *range(12), 0, 1, 0, 1, *range(12)]
    assert len({box.rect.x for box in pieces[:6]}) == 6
    assert len({box.rect.y for box in pieces[10:16]}) == 6
    assert sum(box.rect.w for box in pieces[:6]) == pytest.approx(rectangles(drawn)[0][0])
    sizes = "One module has W_Q 60 × 60, W_K 60 × 10, W_V 60 × 10, W_O 60 × 60."
    assert f"12 heads, as published, with 10,800 parameters. {sizes}" not in drawn.alt
    assert f"12 heads, as published, with 8,400 parameters. {sizes}" in drawn.alt
    many = Attention(6000, 65, 65, 100, 100, False, True)
    assert {box.fill for box in matrices.draw([module(many)]).of(Box)} == {"panel"}, "more pieces than can be told apart"


def test_the_matrices_of_latent_attention_stand_in_two_lines():
    first, second = matrices.lines_of(LATENT)
    assert [s.name for s in first + second] == ["W_DQ", "W_UQ", "W_DKV", "W_UKV", "W_O"]
    now = matrices.lines_of(LATENT.with_heads(6))
    assert [s.name for a, b in zip((first, second), now, strict=True) for s, t in zip(a, b, strict=True) if s == t] == [
        "W_DQ",
        "W_DKV",
    ]


@pytest.mark.parametrize(("attention", "kind", "lines", "marks"), [
    (Attention(60, 6, 6, 10, 10, True, True), "Multi-head attention", 6, 6), (GROUPED, "Grouped-query attention", 6, 2),
    (Attention(60, 6, 1, 10, 10, True, False), "Multi-query attention", 6, 1), (LATENT, "Multi-head latent attention", 9, 0),
])  # fmt: skip
def test_every_head_is_tied_to_what_it_shares_and_neighbours_that_share_have_one_hue(
    attention: Attention, kind: str, lines: int, marks: int
):
    drawn = sharing.draw(attention)
    assert sharing.sentence(attention).startswith(f"{kind}: {attention.heads} heads")
    assert len(drawn.of(Arrow)) == lines
    titles = [box.title for box in drawn.of(Box)]
    assert [title for title in titles if title.startswith("head ")] == [f"head {i + 1}" for i in range(attention.heads)]
    assert sum(title.startswith("key/value head ") for title in titles) == marks
    hues = {box.title: box.hue for box in sharing.draw(GROUPED).of(Box)}
    assert [hues[f"head {i}"] for i in range(1, 7)] == [0, 0, 0, 1, 1, 1]
    assert [hues[f"key/value head {i}"] for i in (1, 2)] == [0, 1]


@pytest.mark.parametrize(("slug", "model"), TABLE)
def test_no_word_below_a_picture_is_cut_off_or_lies_on_another_and_curves_reach_the_heads_that_are_chosen(
    slug: str, model: Model
):
    for drawn in (matrices.draw([module(model.attention)]), sharing.draw(model.attention)):
        assert lying_on_another(labels_of(drawn)) == []
    most = head_counts(model.attention)[-1]
    many = model.with_heads(most, model.attention.kv_heads if model.attention.kv_follow else most)
    assert max(sweeps.sweep(many, 7, 1)) >= most


def test_of_too_many_heads_the_first_are_drawn_and_that_is_said():
    many = Attention(4096, 1024, 1024, 4, 4, True, True)
    assert sum(box.title.startswith("head ") for box in sharing.draw(many).of(Box)) == 128
    assert "The first 128 are drawn." in sharing.draw(many).alt


def test_the_bar_of_a_model_is_as_long_as_its_parameters():
    model = entries()["RoBERTa-blog"].model
    figure, alt = bars.draw_parts(model)
    assert sum(x for trace in figure["data"] for x in trace["x"]) == 109_514_298 == figure["layout"]["xaxis"]["range"][1]
    assert figure["layout"]["barmode"] == "stack"
    assert "attention 28,348,416 (25.9%)" in alt
    assert {part.kind for part in entries()["PaLM-540B"].model.ledger()} == {"attention"}, "without a total nothing else"
    room = figure["layout"]["height"] / 2  # what Plotly gives a legend above a plot; on a phone it has a row for each entry
    assert 19.5 * len(figure["data"]) <= min(room, figure["layout"]["margin"]["t"])


def test_every_published_model_is_a_dot_and_only_those_on_the_line_follow_the_law():
    models = plane.published()
    figure, alt = plane.draw(models, "T5-11B")
    *_, ring, dots = figure["data"]
    at = {
        name: (x, y) for names, x, y in zip(plane.at_points(models).values(), dots["x"], dots["y"], strict=True) for name in names
    }
    assert at == {name: (model.attention.d_model, model.attention.heads * model.attention.d_k) for name, model in models}
    assert (at["T5-11B"], ring["x"], ring["y"]) == ((1024, 16384), [1024], [16384])
    assert sum(x == y for x, y in at.values()) == 38
    assert len(models) == 53
    assert alt == (
        "In 38 of 53 models, heads × key size = width: their dots are on one line. "
        "T5-11B is farthest from the line: heads × key size is 16 times the width."
    )  # fmt: skip
    for (x, y), colour in zip(zip(dots["x"], dots["y"], strict=True), dots["marker"]["color"], strict=True):
        assert colour == (plane.ON if x == y else plane.OFF)
    said = dict(zip(plane.at_points(models), dots["text"], strict=True))
    assert said[1024, 16384] == "T5-11B ×16"
    assert [name for at, names in plane.at_points(models).items() for name in names if said[at]] != []


def test_a_press_on_a_dot_opens_its_model_and_the_next_press_the_next_one_of_the_same_dot():
    models = plane.published()
    number, names = next((n, names) for n, (at, names) in enumerate(plane.at_points(models).items()) if at == (1024, 1024))
    seen = ["T5-11B"]
    for _ in range(len(names) + 1):
        seen.append(plane.pressed(models, number, seen[-1]))
    assert seen[1:] == [*names, names[0]]
    assert len(names) > 2
    assert {plane.pressed(models, number, "T5-11B") for number in (-1, 999)} == {"T5-11B"}


def test_a_dot_is_hollow_where_more_heads_change_the_count():
    models = [
        ("shares", entries()["BERT-base"].model),
        ("own", entries()["T5-11B"].model),
        ("grouped", entries()["Llama-3-70B"].model),
    ]
    dots = plane.draw(models)[0]["data"][-1]
    assert dots["marker"]["symbol"] == ["circle", "circle-open", "circle-open"]


@pytest.mark.parametrize(("slug", "parameters", "arithmetic", "cache"), [
    # Tied heads: level; BERT keeps no cache. Pinned key/value heads of 4,096 / h: 2 · 4,096² beside 8 of them, W_K and W_V.
    ("RoBERTa-blog", lambda _: 1, lambda _: 1, None),
    ("Llama-3-8B", lambda times: (1 + 0.25 / times) / 1.25, None, lambda times: 1 / times),
    # Heads of their own width are in proportion; one key/value head, or the latent, stays.
    ("Gemma-2B", lambda times: (8 * times + 1) / 9, None, lambda _: 1), ("DeepSeek-V3", None, None, lambda _: 1),
    ("T5-11B", lambda times: times, lambda times: times, lambda times: times),
])  # fmt: skip
def test_each_count_is_drawn_in_times_of_the_models_own(slug: str, parameters, arithmetic, cache):
    model = entries()[slug].model
    swept, now = sweeps.sweep(model, 1000, 3), model.attention.heads
    lines = {trace["name"]: dict(zip(trace["x"], trace["y"], strict=True)) for trace in sweeps.draw(swept, now)[0]["data"]}
    assert swept[now]["multiply-adds"] == cost(model, 1000, 3).multiply_adds
    assert ("key/value cache" in lines) == (cache is not None)
    for name, law in zip(sweeps.SPELT, (parameters, arithmetic, lambda times: times, cache), strict=True):
        for heads in swept if law else ():
            assert math.isclose(lines[name][heads], law(heads / now), rel_tol=1e-9), (name, heads)
    assert f"Attention parameters: {compact(model.attention_total)} and" in sweeps.draw({now: swept[now]}, now)[1]


@pytest.mark.parametrize(("spelt", "count", "said"), [
    (compact, 9_999, "9,999"), (compact, 12_345, "12.3k"), (compact, 109_514_298, "110M"), (compact, 671_026_404_352, "671B"),
    (compact, 999_900_000, "1,000M"), (compact, 0, "0"), (bytes_in_words, 131_072, "128 KiB"), (bytes_in_words, 1 << 30, "1 GiB"),
    (bytes_in_words, 1000, "1,000 B"), (bytes_in_words, 1536 << 20, "1.5 GiB"),
])  # fmt: skip
def test_short_numbers_keep_three_digits_and_bytes_are_powers_of_1024(spelt, count: int, said: str):
    assert spelt(count) == said


@pytest.mark.parametrize(("kv_heads", "wanted"), [(6, [1, 2, 3, 4, 5, 6]), (3, [1, 1, 2, 2, 3, 3]), (2, [1, 1, 1, 2, 2, 2])])
def test_the_table_says_which_heads_share_which_key_as_their_hues_and_lines_do(kv_heads: int, wanted: list[int]):
    """Neighbours share: with 6 heads on 2, the first three have the first."""
    attention = Attention(60, 6, kv_heads, 10, 10, True, False)
    drawn = sharing.draw(attention)
    assert [*drawn.tables[0].rows] == [*enumerate(wanted, start=1)]
    heads = {box.title: box for box in drawn.of(Box)}
    assert [heads[f"head {i}"].hue for i in range(1, 7)] == [kv - 1 for kv in wanted]
    middle = {x: round(box.rect.x + box.rect.w / 2, 3) for x, box in heads.items()}
    tied = {tuple(round(x, 3) for x, _ in arrow.points) for arrow in drawn.of(Arrow)}
    assert tied == {(middle[f"key/value head {kv}"], middle[f"head {i}"]) for i, kv in enumerate(wanted, start=1)}
