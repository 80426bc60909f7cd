"""Checks the query of an address for faults, and replaces settings and pages of earlier versions."""

from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

from components.menu import SETTINGS
from headcount import settings
from headcount.settings import Setting, by_code
from lessons.questions import NOT_ANSWERED

SHOWN_CHARACTERS = 40
#: Former keys or values of the address (key or key=value), with a sentence about what to do instead.
GONE = {
    "task=dinner": "The sentence shows the same: what one head mixes up, several keep apart.",
    "look=slide": "Press Present: it shows the page's picture alone.",
    "together=true": "Press a card when all have said their answer.",
    "numbers=typed": "The page Your own layer reads a layer's weights and X from files.",
    "part=masks": "The questions on masks have the shapes and what True means. The variables are shown.",
    "part=arrays": "The questions say what a bias does, and what two matrices make together. The variables are shown.",
    "part=groups": "The page Models shows heads that share keys and values. The variables are shown.",
    "combine": "The layer concatenates the head outputs.",
    "figure=two_layers": "The first figure compares head counts in both conventions.",
    "figure=attention_lines": "Another figure shows how one query shares its attention.",
    **{f"question={card}": "No other card has taken its place. The search may find what is near." for card in NOT_ANSWERED},
}


def known() -> dict[str, Setting]:
    """Every setting that the address may have, by its code."""
    return by_code((*settings.SHARED, *SETTINGS))


def quoted(raw: str) -> str:
    """A visitor's text as Markdown code, in which Markdown is not rendered. Keeps at most SHOWN_CHARACTERS characters."""
    plain = "".join(letter if letter.isprintable() and letter not in "`" else "?" for letter in raw[:SHOWN_CHARACTERS])
    return f"`{plain or ' '}`" + ("…" if len(raw) > SHOWN_CHARACTERS else "")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one key in the address. `sentence`: what the visitor reads; `shown`: the key's new value, None to remove it."""

    key: str
    sentence: str
    shown: str | None


def faults(params: dict[str, list[str]]) -> list[Fault]:
    """Returns a fault for each former setting in the address (GONE), and for each known key with an impossible value or several
    values. Free text has no faults."""
    table, result = known(), []
    for key, values in params.items():
        raw, setting = values[-1] if values else "", table.get(key)
        if (said := key if key in GONE else f"{key}={raw}") in GONE:
            result.append(Fault(key, f"**{said}** is gone. {GONE[said]}", None))
            continue
        if setting is None or setting.kind == "text":
            continue
        try:
            setting.parse(raw)
        except ValueError:
            sentence = f"**{key}** must be {setting.constraint}, got {quoted(raw)}; showing {setting.default_text}."
            result.append(Fault(key, sentence, None))
            continue
        if len(values) > 1:
            result.append(Fault(key, f"**{key}** is given {len(values)} times; the last one counts.", raw))
    return result


def respelt(params: dict[str, list[str]]) -> dict[str, str | None]:
    """Changes for `apply_changes` that spell valid values as the app does, such as 8 for 08. Streamlit's sliders and choices
    (1.67) compare spellings (tests/app/test_streamlit_contract.py). Free text and repeated keys are left as they are."""
    changes: dict[str, str | None] = {}
    for key, setting in known().items():
        if setting.kind != "text" and len(params.get(key, ())) == 1:
            with suppress(ValueError):  # one of the faults
                plain = setting.format(setting.parse(params[key][0]))
                changes |= {key: plain} if plain != params[key][0] else {}
    return changes


#: Renamed settings: the old code and the present one.
RENAMED = {
    "load_length": "context", "load_batch": "sequences", "load_layers": "model_layers", "load_kv_heads": "model_kv_heads",
    "contains": "find", "claim": "question",
}  # fmt: skip
#: Former settings that nothing replaces.
NO_MORE = {
    "article", "verdict", "guess_first", "idea", "array", "arrays", "x", "weights", "times", "attention_mask", "mask_case",
    "lengths", "mask_cells", "num_kv_heads", "lines", "b.split", "b.num_heads", "b.d_model", "b.key_dim", "b.value_dim",
}  # fmt: skip
#: The code of a former slider of heads on the page Why several.
OLD_HEADS = "sentence_heads"
#: Former sizes of figures, with the present ones.
SIZES_WERE = {"screen": "page", "talk": "slide", "paper": "own"}
#: Former addresses of pages: the present page, and settings to add to the query.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "heads": ("", {}), "claims": ("questions", {}), "find": ("questions", {}), "published_models": ("models", {}),
    "arrays": ("keras_layer", {}), "costs": ("models", {"model": "this-layer", "further": "costs"}),
}  # fmt: skip


def moved_to(page: str, query: str) -> str | None:
    """The new address, with `query`, of a page that has moved. None if `page` is not in MOVED."""
    if page not in MOVED:
        return None
    new, told = MOVED[page]
    whole = "&".join(filter(None, (query, urlencode(told))))
    return f"./{new}" + (f"?{whole}" if whole else "")


def translate(params: dict[str, list[str]]) -> dict[str, str | None]:
    """Changes to the address that replace former keys and values: each key's new text, or None to remove the key. If the address
    has a head size but no `split`, Keras's convention is set. A missing value_dim then becomes key_dim, as in Keras."""
    if OLD_HEADS in params:
        gone = {OLD_HEADS, "split", *settings.STOPS} & {*params}
        rest = {key: values for key, values in params.items() if key not in gone}
        return dict.fromkeys(gone) | {"num_heads": (params[OLD_HEADS] or [""])[-1]} | translate(rest)
    changes: dict[str, str | None] = {}
    for old, new in {"query_width": "d_model", **RENAMED}.items():
        if old in params:
            changes[old] = None
            if new not in params:
                changes[new] = ("c" if old == "claim" else "") + (params[old][-1] if params[old] else "")
    if (size := (params.get("size") or [""])[-1]) in SIZES_WERE:
        changes["size"] = SIZES_WERE[size]
    if params.get("figure") == ["parameters"]:
        changes["figure"] = "time"
    changes |= dict.fromkeys({"type_pt", "width", "height"} & {*params})
    if (pixels := (params.get("width") or [""])[-1]).isdecimal() and "width_mm" not in params:
        changes["width_mm"] = f"{min(max(int(pixels[:6]) * 25.4 / 96, 40), 420):.1f}"
    if params.get("load_scope") == ["all"]:
        changes = {"model_layers": "12", **changes, "load_scope": None}
    changes |= {"part": "shapes"} if params.get("part") == ["axes"] else {}
    if params.get("topic") == ["first ten"]:  # with which all begin
        changes["topic"] = None
    changes |= dict.fromkeys(NO_MORE & {*params})
    if "config_json" in params:  # the text of a configuration, whose name alone an address has now
        changes |= {"config_json": None, "config_name": "config.json"}
    if {*settings.HEAD_SIZES} & {*params} and "split" not in params:
        changes["split"] = settings.SPLITS[1]
        key_dim = (params.get("key_dim") or [""])[-1]
        if "value_dim" not in params and key_dim.isdecimal():
            changes["value_dim"] = key_dim
    if dined := {"dinner", "guest"} & {*params}:
        changes |= dict.fromkeys(dined) | {"task": "dinner"}
    return changes
