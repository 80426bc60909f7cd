"""The start page's picture: the same numbers for every cut, each exactly once, in one size and on one scale."""

import numpy as np
import pytest

from components.figures.layout import Rect, lines_of, place
from components.figures.pictures.heads import neighbours, side_by_side, widest_of
from mha import Config, count_parameters, ledger, run
from tests.figures.reading import area, cells_covered, check_products, check_sources, named, numbers, panel_of, texts

PAPER = Config(d_model=24, num_heads=4, query_len=7)
FREE = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13)
POOLED = Config(d_model=96, num_heads=6, query_len=7)  # in squares of 2, 16 columns a head
UNEVEN = Config(d_model=91, num_heads=7, query_len=5)  # in squares of 2, 13 columns a head: the last square is half as wide
CASES = {"paper": (PAPER, True, (1, 2, 4, 8)), "free": (FREE, False, (1, 2, 3, 5)), "pooled": (POOLED, True, (1, 2, 6)),
         "uneven": (UNEVEN, True, (1, 7, 13))}  # fmt: skip
KERNELS = ("w_q", "w_k", "w_v", "w_o")


def drawn(name: str, use_bias: bool = True):
    cfg, paper, heads = CASES[name]
    cfg = Config(cfg.d_model, cfg.num_heads, cfg.key_dim, cfg.value_dim, cfg.query_len, use_bias=use_bias)
    others = [cfg if h == cfg.num_heads else cfg.with_heads(h, paper=paper) for h in heads]
    return cfg, others, side_by_side(cfg, others, run(widest_of(others)))


@pytest.mark.parametrize("name", CASES)
def test_every_cell_of_a_kernel_is_in_exactly_one_head(name):
    _, others, scene = drawn(name)
    for c in others:
        for kernel in KERNELS:
            blocks = named(panel_of(scene, f"cut-{c.num_heads}"), kernel)
            assert len(blocks) == c.num_heads
            covered = cells_covered(blocks)
            assert set(covered.values()) == {1}
            pool = scene.grids[blocks[0].grid].pool
            size = c.value_dim if kernel in ("w_v", "w_o") else c.key_dim
            shape = (-(-c.d_model // pool), c.num_heads * -(-size // pool))
            rows, cols = shape if kernel != "w_o" else shape[::-1]
            assert set(covered) == {(r, k) for r in range(rows) for k in range(cols)}


@pytest.mark.parametrize("name", CASES)
def test_area_means_parameters(name):
    """Cells of all blocks of a panel, each pool × pool numbers, are the layer's parameters, biases among them."""
    for use_bias in (True, False):
        _, others, scene = drawn(name, use_bias)
        pool = scene.grids["x_query"].pool
        for c in others:
            blocks = panel_of(scene, f"cut-{c.num_heads}").blocks
            for row in ledger(c):
                own = [block for block in blocks if block.name == row.name]
                assert area(own) * pool**2 == pytest.approx(row.count), row.name
            assert area(list(blocks)) * pool**2 == pytest.approx(count_parameters(c))


@pytest.mark.parametrize("name", CASES)
def test_one_scale_for_all_that_are_compared(name):
    """One scale for kernels, one for other numbers, and one for biases where cells are means; each ends at the largest of all its
    grids."""
    _, _, scene = drawn(name)
    assert {grid.pool for grid in scene.grids.values()} == {scene.grids["x_query"].pool}
    means = {"bias"} if scene.grids["x_query"].pool > 1 else set()
    assert set(scene.tops) == {grid.scale for grid in scene.grids.values()} == {"weight", "signed"} | means
    for scale, top in scene.tops.items():
        assert top == max(float(np.abs(grid.values).max()) for grid in scene.grids.values() if grid.scale == scale)


def test_the_papers_split_draws_one_matrix_for_every_cut():
    """The same grid, not an equal one: a cut changes no number."""
    _, others, scene = drawn("paper")
    for kernel in KERNELS:
        grids = {block.grid for c in others for block in named(panel_of(scene, f"cut-{c.num_heads}"), kernel)}
        assert grids == {kernel}


def test_the_numbers_are_those_of_each_layer_head_by_head():
    for name in ("paper", "free"):
        _, others, scene = drawn(name)
        for c in others:
            params = run(c).params
            for kernel in ("w_q", "w_k", "w_v"):
                for block in named(panel_of(scene, f"cut-{c.num_heads}"), kernel):
                    np.testing.assert_array_equal(numbers(scene, block), getattr(params, kernel).values[:, block.head])
            for block in named(panel_of(scene, f"cut-{c.num_heads}"), "w_o"):
                np.testing.assert_array_equal(numbers(scene, block), params.w_o.values[block.head])


@pytest.mark.parametrize("name", ["pooled", "uneven"])
def test_means_are_taken_within_a_head(name):
    _, others, scene = drawn(name)
    for c in others:
        kernel = run(c).params.w_q.values
        for block in named(panel_of(scene, f"cut-{c.num_heads}"), "w_q"):
            own = kernel[:, block.head]
            last = 2 * (block.cols - 1)
            assert numbers(scene, block)[0, 0] == pytest.approx(own[:2, :2].mean(), abs=1e-6)
            assert numbers(scene, block)[-1, -1] == pytest.approx(own[2 * (block.rows - 1):, last:].mean(), abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_words_and_description_have_the_live_numbers(name):
    cfg, others, scene = drawn(name)
    for c in others:
        panel = panel_of(scene, f"cut-{c.num_heads}")
        heads = "1 head" if c.num_heads == 1 else f"{c.num_heads} heads"
        assert f"{count_parameters(c):,} parameters" in texts(panel)
        assert heads in texts(panel)
        width = c.num_heads * c.key_dim
        assert f"W_{{Q}}: {c.num_heads} × ({c.d_model} × {c.key_dim}) = {c.d_model * width:,}" in " ".join(texts(panel))
        assert f"{heads}: {count_parameters(c):,} parameters" in scene.alt
        assert (panel.on, panel.go) == (c.num_heads == cfg.num_heads, c.num_heads)
    assert f"Chosen: {cfg.num_heads} heads" in scene.alt


@pytest.mark.parametrize("name", CASES)
def test_what_lights_up_is_there_and_as_long_as_the_inner_dimension(name):
    cfg, _, scene = drawn(name)
    assert check_sources(scene) == 3 * min(cfg.num_heads, 8)


@pytest.mark.parametrize("name", ["paper", "free"])
def test_what_lights_up_multiplies_to_the_cell(name):
    for use_bias in (True, False):
        cfg, _, scene = drawn(name, use_bias)
        assert check_products(scene) == ["q"] * cfg.num_heads


def test_without_biases_there_is_neither_a_trace_of_them_nor_a_gap():
    (_, _, scene), (_, _, bare) = drawn("paper"), drawn("paper", use_bias=False)
    for one, has in ((scene, True), (bare, False)):
        everything = [*one.grids, one.alt, *one.captions, *(text for panel in one.panels for text in texts(panel))]
        assert any("b_" in what for what in everything) == has
    wide = named(scene.rows[1][0], "w_q")[0].w
    one, other = scene.rows[1][0], bare.rows[1][0]
    assert one.width.cells - other.width.cells == wide, "a bias is as wide as its kernel"
    assert (other.width.px, bare.rows[0][0].height.px) == (68, 140)


def test_every_head_has_all_of_x():
    cfg, _, scene = drawn("paper")
    x = run(cfg).x_query.values[0]
    copies = [block for panel in scene.rows[1] for block in named(panel, "x_query")]
    assert [block.copy for block in copies] == [0, 1, 2, 3]
    for block in copies:
        np.testing.assert_array_equal(numbers(scene, block), x)


def test_what_is_too_large_has_its_shapes_and_counts_without_values():
    cfg = Config(d_model=4096, num_heads=32)
    others = [cfg.with_heads(h, paper=True) for h in (1, 2, 4, 8, 32)]
    scene = side_by_side(cfg, others, None)
    assert scene.grids == {}
    assert {block.grid for block in scene.blocks} == {None}
    areas = {panel.id: area(list(panel.blocks)) for panel in scene.panels}
    assert len(set(areas.values())) == 1
    assert "32 heads: 67,125,248 parameters" in scene.alt


def outline(lines: list[Rect]) -> tuple[float, float, float, float]:
    """The box around some lines: left, top, right, bottom."""
    return (
        min(line.x for line in lines), min(line.y for line in lines),
        max(line.x + line.w for line in lines), max(line.y + line.h for line in lines),
    )  # fmt: skip


@pytest.mark.parametrize("width", [358, 940, 1240])
@pytest.mark.parametrize("cfg", [Config(16, 4), Config(24, 8), Config(96, 2), Config(12, 6)], ids=lambda cfg: f"{cfg.d_model}")
def test_a_matrix_has_the_same_outline_to_the_pixel_however_it_is_cut(cfg: Config, width: int):
    """Seen from the corner of its card, in cells of any size, and the cards are equally large."""
    others = neighbours(cfg, paper=True)
    placed = place(side_by_side(cfg, others, run(cfg)), width)
    seen: dict[str, set] = {}
    for panel, frame in placed.frames:
        if panel.go is None:
            continue
        assert frame.x == int(frame.x)
        seen.setdefault("card", set()).add((frame.w, frame.h))
        for name in (*KERNELS, "b_q", "b_k", "b_v", "b_o"):
            own = [(block, rect) for block, rect in placed.blocks if block.name == name and block in panel.blocks
                   and frame.x <= rect.x < frame.x + frame.w and frame.y <= rect.y < frame.y + frame.h]  # fmt: skip
            assert len(own) == (1 if name == "b_o" else panel.go)
            box = outline([line for block, rect in own for line in lines_of(block, rect)])
            at = (box[0] - frame.x, box[1] - frame.y, box[2] - frame.x, box[3] - frame.y)
            seen.setdefault(name, set()).add(tuple(round(edge, 6) for edge in at))
            areas = sum(rect.w * rect.h for _, rect in own)
            assert areas == pytest.approx(own[0][1].h * (own[-1][1].x + own[-1][1].w - own[0][1].x) if name != "w_o"
                                          else own[0][1].w * (own[-1][1].y + own[-1][1].h - own[0][1].y))  # fmt: skip
    assert len(placed.frames) > len(others) == 4
    assert {name: len(outlines) for name, outlines in seen.items()} == dict.fromkeys(seen, 1)


@pytest.mark.parametrize(("key_dim", "value_dim"), [(5, 5), (3, 5)])
def test_in_the_free_split_one_more_head_makes_a_matrix_wider_by_its_columns_and_nothing_else(key_dim: int, value_dim: int):
    """Keras: 11 × h · d. The lines between cells take no room."""
    cfg = Config(11, 2, key_dim, value_dim)
    placed = place(side_by_side(cfg, neighbours(cfg, paper=False), run(cfg.with_heads(8, paper=False))), 1240)
    cards = [panel for panel, _ in placed.frames if panel.go]
    assert [panel.go for panel in cards] == [1, 2, 4, 8]
    for name, size in (("w_q", key_dim), ("w_v", value_dim)):
        rects = [rect for block, rect in placed.blocks if block.name == name]
        for first, count in ((0, 1), (1, 2), (3, 4), (7, 8)):
            own = rects[first : first + count]
            assert own[-1].x + own[-1].w - own[0].x == pytest.approx(count * size * placed.cell)


@pytest.mark.parametrize(("d_model", "heads", "row"), [
    (16, 1, [1, 2, 4, 8]), (16, 8, [1, 2, 4, 8]), (16, 16, [1, 4, 8, 16]), (768, 12, [1, 6, 12, 24]), (32, 16, [1, 8, 16, 32]),
    (1024, 64, [1, 32, 64, 128]), (12, 4, [1, 2, 4, 6]), (20, 5, [1, 2, 5, 10]), (768, 256, [1, 64, 128, 256]), (13, 13, [1, 13]),
    (1, 1, [1]),
])  # fmt: skip
def test_the_chosen_head_count_stands_among_at_most_four_that_are_layers(d_model: int, heads: int, row: list[int]):
    assert [layer.num_heads for layer in neighbours(Config(d_model, heads), paper=True)] == row


def test_in_the_free_split_every_head_count_is_a_layer_to_compare():
    for heads, row in ((7, [1, 3, 7, 14]), (2, [1, 2, 4, 8]), (256, [1, 64, 128, 256])):
        assert [layer.num_heads for layer in neighbours(Config(11, heads, 3), paper=False)] == row


@pytest.mark.parametrize("width", [932, 1092, 1240])
@pytest.mark.parametrize(("d_model", "heads"), [(16, 4), (32, 16), (48, 12), (64, 64), (768, 12), (1024, 64)])
def test_the_cards_stand_in_one_line_at_the_widths_of_a_desktop(d_model: int, heads: int, width: int):
    """932 pixels are what a window of 1280 leaves beside the sidebar."""
    cfg = Config(d_model, heads)
    placed = place(side_by_side(cfg, neighbours(cfg, paper=True), None), width)
    cards = [rect for panel, rect in placed.frames if panel.go]
    assert len(cards) == 4
    assert len({rect.y for rect in cards}) == 1
    assert width > 932 or max(rect.h for rect in cards) < 440, "720 pixels less headline and sentence"


@pytest.mark.parametrize(("d_model", "heads"), [(16, 4), (64, 8), (768, 12)])
def test_on_a_phone_two_cards_stand_side_by_side(d_model: int, heads: int):
    cfg = Config(d_model, heads)
    placed = place(side_by_side(cfg, neighbours(cfg, paper=True), None), 358)
    cards = [rect for panel, rect in placed.frames if panel.go]
    assert [rect.y for rect in cards] == [cards[0].y] * 2 + [cards[2].y] * 2
