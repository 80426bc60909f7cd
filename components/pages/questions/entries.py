"""The entries that the search finds, made from the app's own tables. `make index` writes them to assets/search.json."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import astuple, replace
from functools import cache

from components.menu import PAGES
from components.page import Item, Page, address
from components.pages.questions.ranking import Index, sought
from components.presenter.walk import read_aloud, says
from headcount import Config
from headcount.assets import ASSETS
from headcount.ledger import OF_KERAS, VARIABLES, Variable
from headcount.names import LABELS
from headcount.settings import OF_LAYER_PAGES, SHARED, SWITCHES, Word, by_code
from headcount.steps import STEPS, Step
from lessons import walk
from lessons.glossary import GLOSSARY, name_as_typed, step_of

#: Further words that find a shared setting (such as its names in PyTorch and transformers) or a choice (key=choice).
ELSEWHERE = {
    "d_model": "embed_dim hidden_size n_embd dim", "num_heads": "num_attention_heads n_head nhead heads",
    "key_dim": "head_dim d_k d_kv kdim", "value_dim": "d_v vdim",
    "query_len": "sequence length T", "key_len": "sequence length S",
    "mask": "is_causal attn_mask causal", "use_bias": "bias attention_bias qkv_bias add_bias_kv",
    "room": "vote, poll, clickers, phones of a class, peer instruction",
    "present=1": "presenter, teach a class, lecture, walk, slides, beginner, explain attention simply",
}  # fmt: skip
#: Records like a page's, only for their settings: those of every page and of the walk, and those of several pages.
EVERYWHERE = Page("", "", settings=(*SHARED, *walk.SETTINGS, *walk.ROOM), called=ELSEWHERE)
OF_LAYER = Page("attention", "", settings=OF_LAYER_PAGES, called=ELSEWHERE)


def of_pages() -> Iterator[Item]:
    for page in PAGES:
        yield Item("page", f"{page.title}: {page.asks}", address(page.name), f"{page.name} {page.text}", "", page.asked)


def of_settings(page: Page) -> Iterator[Item]:
    for setting in page.settings:
        code, label, chosen = setting.code, setting.label or setting.code, {**page.seen_with.get(setting.code, {})}
        name = f"“{label}” ({code} in the address)" if label != code else f"{code}, in the address"
        yield Item("setting", name, address(page.name, chosen), f"{setting.help} {page.called.get(code, '')}")
        if isinstance(setting, Word) and code not in page.listed:
            for place, choice in enumerate(setting.choices):
                words = setting.labels[place] if setting.labels else choice
                spelt, where = f"{code}={choice}", address(page.name, chosen | {code: choice})
                yield Item("setting", f"“{label}: {words}” ({spelt} in the address)", where, asked=page.called.get(spelt, ""))


def _of_walk(number: int) -> str:
    return address("", {"present": 1, "step": number})


def of_walk() -> Iterator[Item]:
    for number, step in enumerate(walk.STEPS, 1):
        where = _of_walk(number)
        yield Item("step", step.headline, where, " ".join(("what is", *step.terms)), read_aloud(says(step)))


#: Settings that each add steps or variables to a layer, as the address spells them.
GIVING = (
    {"use_gate": "true"}, {"dropout": "0.5", "training": "true"}, {"rotary": "halves"}, {"qk_norm": "layer"},
    {"qk_norm": "rms_wide"}, {"soft_cap": "50.0"}, {"alibi": "true"}, {"sinks": "true"},
)  # fmt: skip


def in_a_layer_with(one: Step | Variable) -> dict[str, str]:
    """The settings, as the address spells them, under which a layer has this step or variable."""
    settings = by_code((*SHARED, *SWITCHES))
    for given in ({}, *GIVING):
        if one.there(replace(Config(), **{code: settings[code].parse(value) for code, value in given.items()})):
            return given
    raise AssertionError(f"no setting gives a layer {one.name}")


def of_steps() -> Iterator[Item]:
    for step in STEPS:
        cell = f"{step.name}.1.1" if step.name in ("concat", "output") else f"{step.name}.1.1.1"
        page = {"q": "projections", "k": "projections", "v": "projections", "context": "concatenation", "concat": "concatenation",
                "output": "concatenation"}.get(step.name, "attention")  # fmt: skip
        text = f"{step.name} {step.einsum} {step.op}"
        yield Item("step", f"{LABELS[step.name]}: {step.sentence}", address(page, in_a_layer_with(step) | {"cell": cell}), text)
    for one in VARIABLES:
        keras = {"part": "variables"} | in_a_layer_with(one)
        where = address("keras_layer", keras) if one.name in OF_KERAS else address("attention", in_a_layer_with(one))
        together = " of all heads together" if one.name.startswith("wide") else ""
        library = "Keras" if one.name in OF_KERAS else "transformers"
        places = f"{LABELS[one.name]}{together}, {one.path} in {library}, {one.torch} in PyTorch"
        yield Item("variable", places, where, f"{one.name} {one.axes}")


def of_terms(query: str) -> Iterator[Item]:
    """Search results for a query that is a term of the lesson, such as "softmax". The result leads to the walk's step that
    explains the term. The answer is the glossary's sentence or, if there is none, a sentence of the step."""
    wanted = " ".join(sought(query))
    known = {name_as_typed(word): word for word in GLOSSARY}
    places = {term: number for number, step in enumerate(walk.STEPS, 1) for term in step.terms}
    for term, number in {**places, **{name: step_of(word) for name, word in known.items()}}.items():
        if wanted in (term.lower(), f"{term.lower()}s"):
            where = _of_walk(number)
            item = next(item for item in index().items if item.address == where)
            sentences = re.split(r"(?<=[.?!])\s", item.answer)
            said = next((one for one in sentences if term.lower() in one.lower()), sentences[0])
            yield replace(item, answer=name_as_typed(GLOSSARY[known[term]]) if term in known else said)


FILE = ASSETS / "search.json"


def every() -> list[Item]:
    pages = (EVERYWHERE, OF_LAYER, *PAGES)
    sources = (of_pages(), *map(of_settings, pages), of_steps(), of_walk(), *(page.items() for page in PAGES))
    return [item for source in sources for item in source]


@cache
def index() -> Index:
    return Index([Item(*fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))])


def found(query: str, most: int) -> list[Item]:
    """Finds at most `most` results for a query, best first. Layers with exactly this parameter count or shape, and the
    explanation of a term, come before all others."""
    if not query:
        return []
    made = (*(page.items_for(query, sought(query)) for page in PAGES), of_terms(query))
    first = {item.address: item for items in made for item in items}
    return [*first.values(), *(item for item in index().ranked(query, most) if item.address not in first)][:most]


if __name__ == "__main__":
    items = [astuple(item) for item in every()]
    FILE.write_text(json.dumps(items, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(items)} entries\n")
