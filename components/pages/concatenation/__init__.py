from components.page import Page
from headcount.settings import HEAD_OFF

PAGE = Page(
    "concatenation", "Concatenation", words=True, settings=(HEAD_OFF,),
    asked="combine heads, output projection W_O, concat, sum of heads",
)  # fmt: skip
