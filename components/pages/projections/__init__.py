from components.page import Page
from headcount.export.request import CUT, KERNEL

PAGE = Page(
    "projections", "Projections", words=True, settings=(KERNEL, CUT),
    asked="what are queries, keys and values, QKV, linear layers, split or project",
)  # fmt: skip
