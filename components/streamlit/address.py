"""The address: a sentence for each fault in it (the page opens all the same), and each page's memory of it."""

from collections.abc import MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from components import pages
from components.export.request import CUT, KERNEL
from components.streamlit.visit import kept
from lessons import walk
from mha import settings
from mha.names import ATTENTION_MASKS
from mha.settings import Setting, by_code

SHOWN_CHARACTERS = 40


@cache
def of_pages() -> tuple[Setting, ...]:
    """What single pages have in the address besides the shared settings: SETTINGS of the module `settings` in each folder."""
    folders = [folder.name for folder in iter_modules(pages.__path__) if folder.ispkg]
    of_folders = [setting for name in folders for setting in import_module(f"{pages.__name__}.{name}.settings").SETTINGS]
    return (*settings.OF_LAYER_PAGES, KERNEL, CUT, *of_folders)


def known() -> dict[str, Setting]:
    """Every setting that the address may have, by its code."""
    return by_code((*settings.SHARED, *of_pages()))


def quoted(raw: str) -> str:
    """Visitor's text, shortened, as code: no markdown of theirs is ever rendered."""
    plain = "".join(letter if letter.isprintable() and letter not in "`" else "?" for letter in raw[:SHOWN_CHARACTERS])
    return f"`{plain or ' '}`" + ("…" if len(raw) > SHOWN_CHARACTERS else "")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one key. `shown`: the text that the address should have instead; None: none, for the default."""

    key: str
    sentence: str
    shown: str | None


def faults(params: dict[str, list[str]]) -> list[Fault]:
    """One for each known key that is repeated, or whose value is not allowed: field, what is allowed, value, what is shown."""
    table, result = known(), []
    for key, values in params.items():
        raw, setting = values[-1] if values else "", table.get(key)
        if setting is None or setting.kind == "text":
            continue
        try:
            setting.read(raw)
        except ValueError:
            sentence = f"**{key}** must be {setting.allowed}, got {quoted(raw)}; showing {setting.shown}."
            result.append(Fault(key, sentence, None))
            continue
        if len(values) > 1:
            result.append(Fault(key, f"**{key}** is given {len(values)} times; the last one counts.", raw))
    return result


def respelt(params: dict[str, list[str]]) -> dict[str, str | None]:
    """Numbers and words as the app itself spells them (08 is 8, split=free is Keras), for `apply_changes`: a slider and a choice
    know their stops by their spelling alone (Streamlit 1.67; tests/app/test_streamlit_contract.py)."""
    changes: dict[str, str | None] = {}
    for key, setting in known().items():
        if setting.kind != "text" and len(params.get(key, ())) == 1:
            with suppress(ValueError):  # one of the faults
                plain = setting.spell(setting.read(params[key][0]))
                changes |= {key: plain} if plain != params[key][0] else {}
    return changes


#: Settings of pages that moved: what they are called where they are now.
RENAMED = {
    "load_length": "context", "load_batch": "sequences", "load_layers": "model_layers", "load_kv_heads": "model_kv_heads",
}  # fmt: skip
#: Addresses that pages once had: the page that each leads to, and what it has to be told besides its own query.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "heads": ("", {}), "published_models": ("models", {}), "costs": ("models", {"model": "this-layer", "further": "costs"}),
}  # fmt: skip


def moved_to(page: str, query: str) -> str | None:
    """Where an address that a page once had leads now, with its query; None where it never was one."""
    if page not in MOVED:
        return None
    new, told = MOVED[page]
    whole = "&".join(filter(None, (query, urlencode(told))))
    return f"./{new}" + (f"?{whole}" if whole else "")


def translate(params: dict[str, list[str]]) -> dict[str, str | None]:
    """Other names under which a link may give a setting: what the address should say instead; None: this key goes.

    Those of RENAMED. query_width is d_model. mask=padding and mask=custom are Keras's attention_mask here; use_causal_mask is
    separate. A dinner is of that task, which stood first once.
    """
    changes: dict[str, str | None] = {}
    for old, new in {"query_width": "d_model", **RENAMED}.items():
        if old in params:
            changes[old] = None
            if new not in params:
                changes[new] = params[old][-1] if params[old] else ""
    if params.get("load_scope") == ["all"]:
        changes = {"model_layers": "12", **changes, "load_scope": None}
    mask = params["mask"][-1] if params.get("mask") else ""
    if mask in ATTENTION_MASKS[:2]:
        changes["mask"] = None
        changes["attention_mask"] = mask
    if {"dinner", "guest"} & {*params} and "task" not in params:
        changes["task"] = "dinner"
    return changes


def apply_changes(params: MutableMapping[str, str], changes: dict[str, str | None]) -> None:
    """Gives each key of the address its text, before a widget reads it; None takes the key out.

    Streamlit's own widgets (1.67) fail on some values (`inf` for a number, an empty choice: an error on the page) and read some
    differently from what the page says (`8.0` as 8, of a repeated word none): tests/app/test_streamlit_contract.py.
    """
    for key, text in changes.items():
        if text is None:
            del params[key]
        else:
            params[key] = text


#: Keys of the walk, during which pages are not recalled.
WALK = {setting.code for setting in walk.SETTINGS}
#: Keys that go from one page that has them to another: the sentence typed on one is read on the next.
CARRIED = {setting.code for setting in (settings.NUMBERS, settings.TOKENS, *settings.TYPED)}
#: Characters kept of a page: the longest is a visitor's own configuration.
MOST = 8000


def query() -> dict[str, list[str]]:
    """What the address holds: every value of each key."""
    return {key: st.query_params.get_all(key) for key in st.query_params}


def page_query() -> dict[str, list[str]]:
    """What it holds for the page alone."""
    everywhere = {setting.code for setting in settings.SHARED} | WALK
    return {key: values for key, values in query().items() if key not in everywhere}


def save_query(page: str) -> None:
    """After the page is drawn: keeps what the address holds for it, for this session."""
    keys = page_query()
    if not WALK & {*st.query_params} and sum(len(value) for values in keys.values() for value in values) <= MOST:
        kept().setdefault("shown_on", {})[page] = keys
        if settings.NUMBERS.code in st.session_state and settings.TOKENS.code in st.session_state:
            kept()["carried"] = {key: values for key, values in keys.items() if key in CARRIED}


def restore_query(page: str, words: bool = False) -> None:
    """Before the page is drawn: what it showed last, where it is opened once more and the address holds nothing for it. `words`:
    it has the fields of CARRIED, and shows what the last page with them did.

    Streamlit (1.67) takes the keys of the page before out of the address when another is opened
    (tests/app/test_streamlit_contract.py), so every way back led to defaults (tests/browser/test_history.py).
    """
    ours = kept()
    before, ours["page_before"] = ours.get("page_before", page), page
    shown = ours.get("shown_on", {})
    if before != page:  # with Streamlit 1.62 the fields of the page before keep their values
        for key in {setting.code for setting in of_pages()} & {*st.session_state} - {*st.query_params}:
            del st.session_state[key]
    if before == page or WALK & {*st.query_params} or page_query() not in ({}, shown.get(before)):
        return
    wanted = shown.get(page, {})
    if words and "carried" in ours:
        wanted = {key: values for key, values in wanted.items() if key not in CARRIED} | ours["carried"]
    if missing := {key: values for key, values in wanted.items() if key not in st.query_params}:
        for key, values in missing.items():
            try:
                st.query_params[key] = values
            except StreamlitAPIException:  # a field of the page before still holds the key (1.67; tests/visitor/test_found.py)
                st.session_state[key] = known()[key].read(values[-1])
        st.rerun()  # widgets take their values from the address where a run begins
