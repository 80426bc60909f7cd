"""What a figure lets one choose beyond the layer, for the page, the command line and the address."""

from dataclasses import replace

from components.figures.pictures.projections import CUTS, KERNELS
from mha.published.table import entries
from mha.settings import DIVISOR, HEAD, HEAD_OFF, TOKENS, by_code, word

KERNEL, CUT = word("kernel", tuple(KERNELS), "Matrix"), word("cut", CUTS, "Cut")
MODEL = word("model", tuple(entries()), "Model")
OPTIONS = by_code((KERNEL, CUT, replace(HEAD, help=""), DIVISOR, TOKENS, HEAD_OFF, MODEL))
#: Words that can all be shown at once.
FEW = 8
