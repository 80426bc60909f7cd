from components.page import Page
from headcount.settings import DIVISOR

PAGE = Page(
    "attention", "Attention", words=True, settings=(DIVISOR,),
    asked="attention maps, attention weights, scores, softmax, scaled dot product, mask, visualize",
)  # fmt: skip
