"""Pictures of published models: their geometry says the sizes, their words say the same numbers."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.stage.diagram import Diagram
from components.stage.pictures.published import bars, matrices, sharing, sweeps
from components.stage.text import bytes_in_words, compact
from mha.models.attention import Attention, Latent
from mha.models.conventions import head_counts
from mha.models.cost import cost
from mha.models.model import Group, Model
from mha.models.table import entries
from tests.stage.reading import labels_of, lying_on_another

GROUPED = Attention(60, 6, 2, 10, 10, True, False, refusal="no")
LATENT = Attention(58, 3, 3, 12, 11, False, True, latent=Latent(13, 17, 7, 5))
TABLE = [(slug, entry.model) for slug, entry in entries().items()]


def rectangles(drawn: Diagram) -> list[tuple[float, float]]:
    """Width and height of the filled ones, each once."""
    return [(box.rect.w, box.rect.h) for box in drawn.boxes if box.fill == "panel"]


@pytest.mark.parametrize("attention", [GROUPED, LATENT, *(model.attention for _, model in TABLE[::7])])
def test_area_means_weights_in_every_matrix(attention: Attention):
    drawn = [w * h for w, h in rectangles(matrices.draw(matrices.rows_of("one", attention, attention), high=150))]
    weights = [m.rows * m.cols for m in attention.matrices()]
    assert [area / drawn[0] for area in drawn] == pytest.approx([count / weights[0] for count in weights], rel=1e-6)


def test_two_models_are_drawn_at_one_scale():
    small, large = (Attention(d, 2, 2, d // 2, d // 2, True, True) for d in (30, 70))
    rows = [row for a in (small, large) for row in matrices.rows_of(str(a.d_model), a, a)]
    sides = [w for w, _ in rectangles(matrices.draw(rows, high=300, verdicts=False))]
    assert math.isclose(sides[4] / sides[0], 70 / 30, rel_tol=1e-6)


def test_a_move_says_what_grows_shrinks_and_stays_with_the_factor():
    ((label, shapes),) = rows = matrices.rows_of("From 6 to 12", GROUPED, GROUPED.with_heads(12))
    assert label == "From 6 to 12"
    assert [(s.name, s.verdict, s.counts) for s in shapes] == [
        ("W_Q", "stays", (3600, 3600)), ("W_K", "shrinks", (1200, 600)), ("W_V", "shrinks", (1200, 600)),
        ("W_O", "stays", (3600, 3600)),
    ]  # fmt: skip
    assert [s.cuts for s in shapes] == [12, 2, 2, 12]
    drawn = matrices.draw(rows, high=150)
    assert [text.text for text in drawn.texts].count("shrinks 0.5×") == 2
    dashed = [box.rect for box in drawn.boxes if box.fill == "before"]
    assert [round(before.w / now[0], 6) for before, now in zip(dashed, rectangles(drawn)[1:3], strict=True)] == [2, 2]
    assert len(drawn.arrows) == 11 + 1 + 1 + 11, "where one head ends and the next begins"
    assert "W_K 60 × 10, shrinks" in matrices.alt(rows)


def test_the_matrices_of_latent_attention_stand_in_two_rows():
    (_, first), (_, second) = matrices.rows_of("x", LATENT, LATENT.with_heads(6))
    assert [s.name for s in first + second] == ["W_DQ", "W_UQ", "W_DKV", "W_UKV", "W_O"]
    assert {s.name for s in first + second if s.verdict == "stays"} == {"W_DQ", "W_DKV"}


@pytest.mark.parametrize(("attention", "kind", "lines", "marks"), [
    (Attention(60, 6, 6, 10, 10, True, True), "Multi-head attention", 6, 6), (GROUPED, "Grouped-query attention", 6, 2),
    (Attention(60, 6, 1, 10, 10, True, False), "Multi-query attention", 6, 1), (LATENT, "Multi-head latent attention", 9, 0),
])  # fmt: skip
def test_every_head_is_tied_to_what_it_shares(attention: Attention, kind: str, lines: int, marks: int):
    drawn = sharing.draw(attention)
    assert sharing.sentence(attention).startswith(f"{kind}: {attention.heads} heads")
    assert len(drawn.arrows) == lines
    hues = {box.title: box.hue for box in drawn.boxes}
    assert [title for title in hues if title.startswith("head ")] == [f"head {i + 1}" for i in range(attention.heads)]
    assert [hues[title] for title in hues if title.startswith("key/value head ")] == [*range(marks)]
    if marks:  # neighbours that share have one hue
        assert [hues[f"head {i + 1}"] for i in range(6)] == [i * marks // 6 for i in range(6)]


@pytest.mark.parametrize(("slug", "model"), TABLE)
def test_no_word_below_a_model_s_picture_is_cut_off_or_lies_on_another(slug: str, model: Model):
    rows = matrices.rows_of(slug, model.attention, model.attention)
    for drawn in (matrices.draw(rows, high=150), sharing.draw(model.attention)):
        assert lying_on_another(labels_of(drawn)) == []


def test_of_too_many_heads_the_first_are_drawn_and_that_is_said():
    many = Attention(4096, 1024, 1024, 4, 4, True, True)
    assert sum(box.title.startswith("head ") for box in sharing.draw(many).boxes) == 128
    assert "The first 128 are drawn." in sharing.alt(many)


def test_the_bar_of_a_model_is_as_long_as_its_parameters():
    model = entries()["RoBERTa-blog"].model
    figure, alt = bars.draw_parts(model)
    ends = sorted((base, base + x) for trace in figure["data"] for base, x in zip(trace["base"], trace["x"], strict=True))
    assert ends[0][0] == 0
    assert ends[-1][1] == 109_514_298 == figure["layout"]["xaxis"]["range"][1]
    assert all(one[1] == two[0] for one, two in pairwise(ends))
    assert "attention 28,348,416 (25.9%)" in alt
    room = figure["layout"]["height"] / 2  # what Plotly gives a legend above a plot; on a phone it has a row for each entry
    assert 19.5 * len(figure["data"]) <= min(room, figure["layout"]["margin"]["t"])


def test_the_curves_by_hand():
    """Flat by the paper's rule; with pinned key/value heads it falls, and is flat when they come along; straight with an own head
    size: 18 layers, W_Q and W_O of 2,048 × 256 a head."""
    model = entries()["RoBERTa-blog"].model
    alone, together = sweeps.moves(model, model.with_heads(4))
    assert (set(alone.values()), together) == ({28_348_416}, {})
    pinned, along = sweeps.moves(*[entries()["Llama-3-8B"].model] * 2)
    assert [*pinned.values()] == sorted(pinned.values(), reverse=True)
    assert len(set(pinned.values())) > 1
    assert set(along.values()) == {1_342_177_280}
    own, _ = sweeps.moves(*[entries()["Gemma-2B"].model] * 2)
    assert {(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(own.items())} == {18 * 2 * 2048 * 256}


@pytest.mark.parametrize(("slug", "model"), TABLE)
def test_the_curve_has_a_point_for_each_layer_up_to_the_heads_that_are_chosen_and_rings_these(slug: str, model: Model):
    most = head_counts(model.attention)[-1]
    many = model.with_heads(most, model.attention.kv_heads if model.attention.kv_follow else most)
    alone, _ = sweeps.moves(model, many)
    assert max(alone) >= most
    assert not [heads for heads in sweeps.moves(model, model)[0] if model.refused(heads)], "what is no model has no parameters"
    figure, alt = sweeps.draw_moves(model, many)
    line, ring = figure["data"][0], figure["data"][-1]
    assert dict(zip(line["x"], line["y"], strict=True)) == alone
    assert ([*ring["x"]], [*ring["y"]]) == ([most], [many.attention_total])
    assert alt.endswith(f", {many.attention_total:,}.")


def test_bars_of_all_models_stand_at_one_scale_beside_d_model():
    figure = bars.draw_widths(TABLE)
    shown = {name: x for trace in figure["data"][1:] for name, x in zip(trace["y"], trace["x"], strict=True)}
    assert shown == {name: model.attention.inner for name, model in TABLE}
    assert dict(zip(figure["data"][0]["y"], figure["data"][0]["x"], strict=True))["T5-11B"] == 1024
    assert shown["T5-11B"] == 16384


@pytest.mark.parametrize("slug", ["RoBERTa-blog", "Llama-3-8B", "Gemma-2-2B", "T5-11B", "DeepSeek-V3", "Falcon-7B"])
def test_every_cost_is_marked_where_the_model_stands(slug: str):
    model = entries()[slug].model
    made = sweeps.sweeps(model, 1000, 3)
    here = cost(model, 1000, 3)
    assert [sweep.label for sweep in made] == (["h", "d_k", "T"] if model.attention.latent else ["h", "h_kv", "d_k", "T"])
    for sweep in made:
        assert sweep.costs[sweep.values.index(sweep.now)] == here
    marks = [trace for trace in sweeps.draw_sweeps(made)["data"] if trace["mode"] == "markers"]
    assert {y for trace in marks for y in trace["y"]} <= {
        here.projections, here.scores, here.weighting, here.output, here.score_bytes, here.cache_bytes
    }  # fmt: skip
    rows = 3 if here.cache_bytes else 2
    assert len(marks) == rows * len(made)


@given(st.integers(2, 9), st.integers(1, 5))
def test_twice_the_context_is_four_times_the_scores_and_twice_the_cache(heads: int, tokens: int):
    model = Model("", (Group(3, Attention(heads * 4, heads, heads, 4, 4, True, True), "self"),))
    sweep = sweeps.sweeps(model, 8 * tokens, 1)[-1]
    first, second = sweep.costs[:2]
    assert sweep.values[1] == 2 * sweep.values[0]
    for name, times in (("scores", 4), ("score_bytes", 4), ("cache_bytes", 2), ("projections", 2)):
        assert getattr(second, name) == times * getattr(first, name), name


@pytest.mark.parametrize(("spelt", "count", "said"), [
    (compact, 9_999, "9,999"), (compact, 12_345, "12.3k"), (compact, 109_514_298, "110M"), (compact, 671_026_404_352, "671B"),
    (compact, 999_900_000, "1,000M"), (compact, 0, "0"), (bytes_in_words, 131_072, "128 KiB"), (bytes_in_words, 1 << 30, "1 GiB"),
    (bytes_in_words, 1000, "1,000 B"), (bytes_in_words, 1536 << 20, "1.5 GiB"),
])  # fmt: skip
def test_short_numbers_keep_three_digits_and_bytes_are_powers_of_1024(spelt, count: int, said: str):
    assert spelt(count) == said


def test_a_model_without_a_total_has_a_ledger_of_attention_only():
    assert {part.kind for part in entries()["PaLM-540B"].model.ledger()} == {"attention"}
