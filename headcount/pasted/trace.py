"""Values of the names in pasted code. A value is known only if all places in the code that set the name, in any scope, agree."""

import ast
import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile, zip_longest
from operator import add, floordiv, mul, sub, truediv

from headcount.models.reading import MAX_SIZE

#: DEPTH: most names between a name and its number. MOST: most places that set one name. LARGEST: largest number that is read.
DEPTH, MOST, LARGEST = 50, 100, 1 << 62
#: Prompts before code that was copied from a console, a notebook or a web page.
MARKS = re.compile(r"^[ \t]*(>>> ?|\.\.\. ?|In \[\d+\]: ?|[%!`].*$)", re.MULTILINE)
OPERATIONS = {ast.Mult: mul, ast.Add: add, ast.Sub: sub, ast.FloorDiv: floordiv, ast.Div: truediv}
#: Modules of the known libraries. A class imported from any other module is not the libraries'.
LIBRARY = re.compile(r"(tf|tensorflow|tf_keras|keras\w*|layers|nn|F|torch|transformers)\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Unreadable(ValueError):
    """Error: a text is not Python code that can be read. The message says why."""


def parse(text: str) -> ast.Module:
    """Parses Python code. The code may be indented, and may have a console's prompts. Raises Unreadable with the reason."""
    wrong = ""
    for plain in (text, textwrap.dedent(MARKS.sub("", text))):
        try:
            with warnings.catch_warnings(action="ignore"):  # of an escape that Python does not know
                return ast.parse(plain)
        except SyntaxError as fault:
            wrong = wrong or f"Python cannot read line {fault.lineno or 1:,}"
        except (ValueError, RecursionError, MemoryError):
            wrong = "The code is nested too deeply to be read"
    raise Unreadable(wrong)


class PastedCode:
    """Parsed code: its calls, and for each name the expressions that set it. `known` has further values of names."""

    def __init__(self, tree: ast.Module, known: Mapping[str, int]):
        self.read: dict[str, int | None] = {**known}
        self.said: defaultdict[object, list[ast.expr | None]] = defaultdict(list)
        self.calls: list[ast.Call] = []
        self.classes: set[str] = set()
        self.foreign: set[str] = set()
        self.products: set[frozenset[str]] = set()
        functions: list[tuple[str, Function]] = []
        for node in ast.walk(tree):
            match node:
                case ast.Call():
                    self.calls.append(node)
                case ast.ClassDef():
                    self.classes.add(node.name)
                    functions += [(node.name, one) for one in node.body if isinstance(one, Function) and one.name == "__init__"]
                case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name != "__init__":
                    functions.append((node.name, node))
                case ast.Assign():
                    for target in node.targets:
                        self._bind(target, node.value)
                case ast.AnnAssign():
                    self._bind(node.target, node.value)
                case ast.AugAssign() | ast.For() | ast.comprehension():
                    self._bind(node.target, None)
                case ast.Dict():
                    for key, value in zip(node.keys, node.values, strict=True):
                        self.said[key.value if isinstance(key, ast.Constant) else None].append(value)
                case ast.ImportFrom() if not LIBRARY.match(node.module or ""):
                    self.foreign.update(one.asname or one.name for one in node.names)
                case ast.BinOp(op=ast.Mult()):
                    self.products.add(frozenset((last(node.left), last(node.right))))
                case _:
                    pass
        self._hand_over(functions)

    def _bind(self, target: ast.AST, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = members(value)
            for one, part in zip_longest(target.elts, parts if len(parts) == len(target.elts) else []):
                self._bind(one, part)
        elif name := last(target):
            self.said[name].append(value)

    def _hand_over(self, functions: Sequence[tuple[str, Function]]) -> None:
        """Records what sets each parameter of a function: the arguments of its calls or, without an argument, the default."""
        callers: defaultdict[str, list[ast.Call]] = defaultdict(list)
        for call in self.calls:
            callers[last(call.func)].append(call)
        for one in (one for name in ("dict", *self.classes) for call in callers[name] for one in call.keywords):
            self.said[one.arg].append(one.value)
        for called, function in functions:
            args = function.args
            names = tuple(one.arg for one in (*args.posonlyargs, *args.args) if one.arg not in ("self", "cls"))
            defaults: dict[str, ast.expr | None] = dict.fromkeys(names)
            defaults |= zip(reversed(names), reversed(args.defaults), strict=False)
            defaults |= zip((one.arg for one in args.kwonlyargs), args.kw_defaults, strict=True)
            given = [arguments(call, names) for call in callers[called][: MOST + 1]]
            for name, default in defaults.items():
                self.said[name] += [one.get(name, default) for one in given] or [default]

    def value(self, node: ast.AST | None, depth: int = 0) -> int | None:
        """Returns the whole number to which an expression evaluates. Returns None if the number is not known."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and node.value < LARGEST else None
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
            if type(node.op) not in OPERATIONS or left is None or right is None or max(abs(left), abs(right)) > MAX_SIZE:
                return None
            made = OPERATIONS[type(node.op)](left, right) if right or not isinstance(node.op, ast.Div | ast.FloorDiv) else 0.5
            return int(made) if made == int(made) else None
        if isinstance(node, ast.Call) and last(node.func) == "int" and len(node.args) == 1:
            return self.value(node.args[0], depth + 1)
        name = last(node) if node else ""
        if name and name not in self.read:
            said = [one for one in self.said[name] if one is None or last(one) != name]
            self.read[name] = None  # meanwhile: it may lead to itself
            values = [self.value(one, depth + 1) for one in said[: MOST + 1]] if depth < DEPTH and len(said) <= MOST else []
            self.read[name] = values[0] if values and all(one == values[0] for one in values) else None
        return self.read.get(name)


def last(node: ast.AST) -> str:
    """Returns the last part of a name: "heads" for `self.heads` and `config["heads"]`. Returns "" for any other expression."""
    if isinstance(node, ast.Subscript):
        return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else ""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def arguments(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    """Returns the arguments of a call by name. `names` has the names by position. A `*` argument ends the positional ones."""
    ahead = takewhile(lambda one: not isinstance(one, ast.Starred), call.args)
    return dict(zip(names, ahead, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}


def members(node: ast.expr | None) -> list[ast.expr]:
    """Returns the elements of a tuple or list. Returns an empty list for any other expression."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else []
