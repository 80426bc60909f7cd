"""Each cache has a bound: a server that runs for months must not grow."""

import ast
from collections.abc import Iterator

from tests.sources import ROOT, python_files

DECORATORS = {"cache", "lru_cache", "cache_data", "cache_resource"}
CODE = [path for path in python_files() if path.parts[0] not in ("tests", "benchmarks", "parity")]


def last_name(node: ast.expr) -> str:
    """`lru_cache` of lru_cache, functools.lru_cache(maxsize=8) and st.lru_cache[...]."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_of(function: ast.FunctionDef, decorator: ast.expr) -> str:
    """The decorator's own ("4", "KEPT"), "one" where there are no arguments to tell entries apart, else "fixed": of keys."""
    arguments = decorator.keywords if isinstance(decorator, ast.Call) else []
    bounds = [ast.unparse(word.value) for word in arguments if word.arg in ("maxsize", "max_entries")]
    return bounds[0] if bounds else "fixed" if function.args.args or function.args.kwonlyargs else "one"


def caches_in(source: str) -> Iterator[tuple[str, str]]:
    """Name and bound of each; a BoundedCache has one by its kind, ""."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, bound_of(node, one)) for one in node.decorator_list if last_name(one) in DECORATORS)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
            yield from ((last_name(target), "") for call in calls if last_name(call) == "BoundedCache")


#: Caches without a bound whose keys no visitor chooses: our themes, faces, components, models and steps of the walk, and the
#: operator's folder.
FIXED = {"stops", "embedded", "_font", "component", "part", "row", "message_and_picture", "played_at", "_worker",
         "opened", "sheet", "script"}  # fmt: skip


def test_every_cache_has_a_bound_or_a_fixed_set_of_keys():
    """Keys that a visitor can choose need a bound."""
    sources = [source for path in CODE if "cache" in (source := (ROOT / path).read_text(encoding="utf-8")).lower()]
    found = [cache for source in sources for cache in caches_in(source)]
    assert len(found) > 50
    assert [name for name, bound in found if bound == "None" or (bound == "fixed" and name not in FIXED)] == []


def test_what_the_large_caches_hold_is_bounded():
    """In MB of 2 to the 20th bytes; a number of a layer takes four."""
    from components.widgets import previews, trace
    from mha import cost, reading
    from mha.keras.client import Limits

    layers = 4 * (trace.SMALL * trace.SMALL_KEPT + cost.MAX_NUMBERS * trace.KEPT)
    together = layers + previews.PICTURES._entries.maxsize + Limits().answer_bytes + reading.LAYERS._entries.maxsize
    assert together == 140 << 20


def test_the_largest_layer_that_is_computed_fits_among_keras_s_answers():
    """What is not kept would be asked for again and again, for ever."""
    from mha.cost import MAX_NUMBERS
    from mha.keras.client import Limits

    assert Limits().answer_bytes >= 4 * MAX_NUMBERS
