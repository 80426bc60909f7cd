"""A Hugging Face `config.json` as a model: text in, sizes out, every fault with its field."""

import json
from collections.abc import Mapping
from typing import cast

from mha.published import unknown
from mha.published.families import READERS, ROBERTA_MASKED
from mha.published.fields import Fields, Unreadable, described
from mha.published.model import Model

#: Characters of a configuration; the longest published ones, with all their label names, are about 100,000.
MOST_TEXT = 256_000


def parse(text: str) -> Mapping[str, object]:
    """The JSON object in `text`. Unreadable where it is too long, no JSON, or no object."""
    if len(text) > MOST_TEXT:
        raise Unreadable("The file", f"must have at most {MOST_TEXT:,} characters", f"{len(text):,}")
    try:
        made = json.loads(text, object_pairs_hook=_each_key_once)
    except Unreadable:
        raise
    except RecursionError:
        raise Unreadable("The file", "must be JSON with few levels", "lists or objects nested too deeply") from None
    except json.JSONDecodeError as fault:
        near = text[max(fault.pos - 12, 0) : fault.pos + 12].strip() or "nothing"
        raise Unreadable(f"Line {fault.lineno}, column {fault.colno}", "must be JSON", near) from None
    except ValueError:
        raise Unreadable("The file", "must hold numbers of a readable length", "a whole number of thousands of digits") from None
    if not isinstance(made, dict):
        raise Unreadable("The file", "must hold one JSON object, { … }", described(made))
    return cast(dict[str, object], made)


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Python would take the last of two; other readers take the first."""
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise Unreadable("The file", "may give each key of an object once", f"{key[:60]} twice")
        made[key] = value
    return made


def read_config(config: Mapping[str, object]) -> Model:
    """The model of a configuration. Unreadable names the field that is missing or wrong; Refused (mha.published.attention)
    says why its heads are no layer. Fields that are not needed are not looked at."""
    return read_fields(config)[0]


def read_fields(config: Mapping[str, object]) -> tuple[Model, dict[str, object]]:
    """The model, and the few fields that it was made of: read again, they give the same model."""
    inner = config.get("text_config")
    nested = not any(name in config for name in (*unknown.D_MODEL, *unknown.HEADS)) and isinstance(inner, Mapping)
    if isinstance(inner, Mapping) and nested:
        text = cast(Mapping[str, object], inner)
        kind = text.get("model_type", config.get("model_type"))
        config = {**text, "model_type": {"gemma3": "gemma3_text"}.get(kind, kind) if isinstance(kind, str) else kind}
    fields = Fields(config)
    if nested:
        fields.assumed.append("text_config is what is counted")
    kind = config.get("model_type")
    if kind is not None and not isinstance(kind, str):
        raise Unreadable("model_type", "must be a text", described(kind))
    masked = kind == "roberta" and _asks_for(config, "RobertaForMaskedLM")
    if kind not in READERS:
        fields.assumed.append("model_type is not there" if kind is None else "model_type is of a family that is not known here")
    reader = ROBERTA_MASKED.read if masked else READERS.get(kind or "", unknown.read)
    model = reader(fields)
    named = {"architectures": ["RobertaForMaskedLM"]} if masked else {}
    return model, fields.used | named | ({} if kind is None else {"model_type": kind})


def _asks_for(config: Mapping[str, object], name: str) -> bool:
    named = config.get("architectures")
    return isinstance(named, list) and cast(list[object], named)[:1] == [name]


def known(model: Model) -> bool:
    """Whether its family is read as transformers builds it; otherwise its notes say what was assumed."""
    return model.model_type in READERS
