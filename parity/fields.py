"""Every field of every configuration class, as transformers declares it: defaults, aliases, values to try, and which of them
change what a model holds. Nothing here is listed by hand but small sizes: a new version of transformers brings its new fields.

`python -m parity.fields` writes mha/published/classes.json.
"""

import dataclasses
import importlib
import inspect
import itertools
import json
import logging
import re
import sys
from functools import cache
from pathlib import Path

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from parity.models import CLASSES, projections, real_class, total, variation

logging.disable(logging.WARNING)
FILE = Path(__file__).parents[1] / "mha/published/classes.json"
BASE = {field.name for field in dataclasses.fields(transformers.PreTrainedConfig)} - {"id2label"}
#: Handled by the base class before any model is built; what a file says beside the sizes.
NEVER = BASE | {"model_type", "name_or_path", "torch_dtype", "return_dict", "use_return_dict", "output_attentions"}
GENERATION = transformers.GenerationConfig._get_default_generation_params()
#: Sizes that are changed to keep every model small, and what they are at first.
SEEDS = (1,)
MOST_BASES = 3


@cache
def config_class(kind: str) -> type:
    return CONFIG_MAPPING[kind]


@cache
def sources(kind: str) -> str:
    """The text of the modules with the configuration class and its models."""
    config = config_class(kind)
    modules = {base.__module__ for base in config.__mro__ if "configuration_" in base.__module__ and "models" in base.__module__}
    names = {name for module in modules for name in (module, module.replace("configuration_", "modeling_"))}
    return "\n".join(inspect.getsource(importlib.import_module(name)) for name in sorted(names))


@cache
def classes(kind: str) -> list[str]:
    """The models that are built from this configuration: those that `architectures` can name."""
    config = config_class(kind)
    module = importlib.import_module(config.__module__.replace("configuration_", "modeling_"))
    return [
        name for name, found in vars(module).items()
        if inspect.isclass(found) and issubclass(found, transformers.PreTrainedModel) and found.__module__ == module.__name__
        and found.config_class is config and (re.search(r"Model$|LMHead|DoubleHeads|For[A-Z]", name) or name == CLASSES.get(kind))
        and (name == CLASSES.get(kind) or (not re.search(r"Pre[tT]rainedModel$", name) and hasattr(transformers, name)))
    ]  # fmt: skip


@cache
def declared(kind: str) -> dict[str, object]:
    """Field: its default. Declared ones, and those that only the code of its models or its own legacy spelling knows (None)."""
    config = config_class(kind)
    text = sources(kind)
    fields: dict[str, object] = {}
    for field in dataclasses.fields(config):
        if field.name not in NEVER:
            default = field.default if field.default is not dataclasses.MISSING else field.default_factory()
            fields[field.name] = list(default) if isinstance(default, tuple) else default
    for name in re.findall(r"(?:kwargs\.(?:pop|get)\(|getattr\(\s*(?:self\.)?config,)\s*\"(\w+)\"", text):
        if name not in NEVER and not name.startswith("_") and name not in fields:
            fields[name] = None
    for name in config.attribute_map:
        fields.pop(name, None)
    return fields


def aliases(kind: str) -> dict[str, object]:
    """Other spellings of declared fields, with their defaults."""
    return {a: declared(kind)[b] for a, b in config_class(kind).attribute_map.items() if b in declared(kind)}


@cache
def words(kind: str, name: str) -> list[str]:
    """Texts that the code has in the lines that name the field: its choices. And two that fit any activation."""
    lines = [line for line in sources(kind).splitlines() if re.search(rf"\b{name}\b", line) and "=" in line]
    found = {word for line in lines for word in re.findall(r"[\"']([\w-]{2,24})[\"']", line) if word != name}
    return [*sorted(found)[:12], "relu", "gated-gelu"]


def annotated(kind: str, name: str) -> str:
    found = {field.name: str(field.type) for field in dataclasses.fields(config_class(kind))}
    return found.get(name, "")


def values(kind: str, name: str, now: object, default: object) -> list[object]:
    """What is tried for a field that is `now` (in a small model) and `default` in its class: by type, and its choices."""
    type_ = annotated(kind, name)
    like = now if now is not None else default
    tried: list[object] = [None] if now is not None else []
    if name in config_class(kind).sub_configs_defaults:
        inner = config_class(kind).sub_configs_defaults[name].model_type
        return [base for seed in SEEDS for base in bases_of(inner, variation(inner, seed))]
    if name == "id2label":
        return [{str(i): f"L{i}" for i in range(n)} for n in (1, 3, 5)]
    if isinstance(like, bool) or (like is None and "bool" in type_):
        tried += [True, False]
    elif isinstance(like, int) or (like is None and "int" in type_):
        n = like or 6
        tried += [n // 2, 2 * n, 0, 1]
    elif name == "rope_parameters":
        tried += [{"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": part} for part in (0.5, 1.0)]
    elif isinstance(like, float) or (like is None and "float" in type_):
        tried += [0.0, 0.5, 1.0]
    elif isinstance(like, list) or (like is None and "list" in type_):
        kinds = sorted(set(re.findall(r'"(\w+_attention)"', sources(kind)))) if "layer_types" in name else []
        tried += [[], *([one] * len(like) for one in kinds if isinstance(like, list))]
        tried += [[0], [0, 1], *([one] for one in words(kind, name) if len(one) < 6)] if not kinds else []
        if isinstance(like, list) and len(like) > 1:
            tried += [list(reversed(like))]
        if kinds:
            tried += [[kinds[i % len(kinds)] for i in range(n)] for n in (1, 2, 3, 4)]
    elif like is None and not type_:
        tried += [True, False, 1, 6]
    if isinstance(like, str) or (like is None and ("str" in type_ or not type_)):
        tried += words(kind, name)
    return [value for i, value in enumerate(tried) if value not in tried[:i] or isinstance(value, bool)]


def built(config: dict, named: str) -> torch.nn.Module:
    """The real class on the `meta` device. Whatever it raises is its refusal."""
    sizes = {"pad_token_id": 0, **{key: value for key, value in config.items() if key not in ("model_type", "architectures")}}
    settings = transformers.AutoConfig.for_model(config["model_type"], **sizes)
    with torch.device("meta"):
        return real_class(settings, named)(settings)


def held(config: dict, named: str) -> tuple[int, int] | None:
    """All parameters and those of attention projections; None where the class refuses."""
    try:
        model = built(config, named)
    except Exception:  # any refusal of the class is one
        return None
    return total(model), projections(model)


def changed(config: dict, name: str, value: object) -> dict:
    return {**config, name: value}


def judges(kind: str) -> list[str]:
    """The bare model, the one that is counted where none is named, a classifier."""
    names = classes(kind)
    classifiers = [name for name in names if name.endswith(("ForSequenceClassification", "ForImageClassification"))]
    return list(dict.fromkeys(name for name in (*names[:1], CLASSES[kind], *classifiers) if name in names))


@cache
def _bases(kind: str, config: str) -> list[dict]:
    return bases_of(kind, json.loads(config))


def bases_of(kind: str, config: dict) -> list[dict]:
    """The small model, and the same with each switch moved, or two of them, that changes a count."""
    names = judges(kind)
    flips = [(name, not default) for name, default in declared(kind).items() if isinstance(default, bool)]
    was = {one: held(config, one) for one in names}
    bases, seen = [config], {tuple(was.values())}
    for pair in (*((flip,) for flip in flips), *itertools.combinations(flips, 2)):
        flipped = {**config, **dict(pair)}
        now = tuple(held(flipped, one) for one in names)
        if now not in seen and any(now) and len(bases) < MOST_BASES:
            seen.add(now)
            bases.append(flipped)
    return bases


def inert(kind: str) -> list[str]:
    """Fields that change no count: in no small model, in no class, alone or beside any switch that does change one."""
    found = {}
    names = judges(kind)
    for seed in SEEDS:
        config = variation(kind, seed)
        for base in bases_of(kind, config):
            was = {one: held(base, one) for one in names}
            for name, default in declared(kind).items():
                if found.get(name):
                    continue
                tried = values(kind, name, base.get(name, default), default)
                pairs = [(value, one) for value, one in itertools.product(tried, names) if was[one]]
                counts = [(held(changed(base, name, value), one), was[one]) for value, one in pairs]
                moved = any(after not in (None, before) for after, before in counts)
                found[name] = moved or (name not in found and not any(after for after, _ in counts))
    return [name for name, moves in found.items() if not moves]


def plain(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int, float, str, list, dict)) else None


def described(kind: str) -> dict[str, object]:
    """What classes.json has of one family."""
    return row(config_class(kind), declared(kind), inert(kind), classes(kind))


def row(config: type, fields: dict[str, object], still: list[str], names: list[str]) -> dict[str, object]:
    return {
        "name": config.__name__,
        "aliases": {a: b for a, b in config.attribute_map.items() if b in fields},
        "fields": {name: plain(default) for name, default in fields.items() if name not in still},
        "inert": {name: plain(default) for name, default in fields.items() if name in still},
        "classes": names,
    }


def objects(kind: str) -> dict[str, dict[str, object]]:
    """Of a family whose sizes stand in objects with classes of their own (DBRX): those classes, by family and field. None of
    their fields is taken to be without effect."""
    module = sys.modules[config_class(kind).__module__]
    found = {}
    for field in dataclasses.fields(config_class(kind)):
        inner = next((c for c in map(vars(module).get, re.findall(r"\w+", str(field.type))) if is_config(c)), None)
        if inner and field.name not in config_class(kind).sub_configs_defaults:
            known = {f.name: f.default for f in dataclasses.fields(inner) if f.name not in NEVER}
            found[f"{kind}/{field.name}"] = row(inner, known, [], [])
    return found


def is_config(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, transformers.PreTrainedConfig)


def everywhere() -> dict[str, object]:
    """Fields of every configuration: of the base class, of rotary embeddings as older files spell them, of generation."""
    text = inspect.getsource(sys.modules["transformers.configuration_utils"])
    text += inspect.getsource(importlib.import_module("transformers.modeling_rope_utils"))
    popped = set(re.findall(r"kwargs\.(?:pop|get)\(\s*\"(\w+)\"", text)) | NEVER | set(GENERATION)
    matters = {"per_layer_config": None}
    still = dict.fromkeys(sorted(popped - set(matters) - {"num_labels"}))
    return {"name": "PreTrainedConfig", "fields": matters, "inert": still, "aliases": {}, "classes": []}


def main(kinds: list[str]) -> None:
    """Write the file anew; only some families where they are named."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() and kinds else {}
    known[""] = everywhere()
    for kind in kinds or CLASSES:
        known |= {kind: described(kind), **objects(kind)}
    rows = (f"  {json.dumps(kind)}: {json.dumps(known[kind])}" for kind in sorted(known))
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
