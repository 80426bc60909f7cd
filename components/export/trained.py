"""The figures of the page about trained heads that stand without its network."""

from components.export.figure import Figure, Picture
from components.export.request import Request, Unavailable
from components.figures.trained import curves
from mha.trained import store


def answers(ask: Request) -> Picture:
    try:
        report, seeds = store.report(), store.manifest()["seeds"]
    except store.Broken as why:
        raise Unavailable(str(why)) from None
    made = curves.spreads(report, "dinner", seeds["dinner"])
    one, best = made[0], max(made, key=lambda spread: spread.mean)
    title = f"Right answers over all seeds: {one.mean:.0%} with {one.heads}, {best.mean:.0%} with {best.heads} heads"
    return Picture(curves.draw(made, best.heads), title, curves.alt(made))


def paper(ask: Request) -> Picture:
    alt = curves.bleu_alt()
    return Picture(curves.draw_bleu(), "The paper saw the same shape", alt, f"{alt} Attention Is All You Need, Table 3 (A).")


PAGE = {"page": "trained_heads", "of_layer": False}
FIGURES = (
    Figure("right_answers", "Right answers against heads, trained", draw=answers, key="right_answers_against_heads", **PAGE),
    Figure("paper_table", "Translation against heads, in the paper", draw=paper, key="paper_table_3a", **PAGE),
)
