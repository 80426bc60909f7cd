"""The numbers for which names in pasted code stand. A number is known if all that the code says of a name agrees, in whatever
scope. If two places say two numbers, or one cannot be read, it is not known."""

import ast
import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Mapping
from itertools import zip_longest

from headcount.models.reading import MAX_SIZE
from headcount.typed import Unreadable

#: Names on the way from one to its number, and readings of one name that are compared.
DEPTH, MOST, LARGEST = 50, 100, 1 << 62
#: Marks of a console, a notebook or a page before code.
MARKS = re.compile(r"^[ \t]*(>>> ?|\.\.\. ?|In \[\d+\]: ?|[%!`].*$)", re.MULTILINE)
#: What has nothing inside that is looked at.
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.alias, ast.arg)
#: Modules of the libraries; a class of the same name from elsewhere is another.
LIBRARY = re.compile(r"(tf|tensorflow|tf_keras|keras\w*|layers|nn|F|torch|transformers)\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse(text: str) -> ast.Module:
    """The code as a tree. Unreadable says why there is none."""
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


class Source:
    """Code as its calls and what it says of each name. `known`: numbers that it does not say."""

    def __init__(self, tree: ast.Module, known: Mapping[str, int]):
        self.read: dict[str, int | None] = {**known}
        self.said: defaultdict[str, list[ast.expr | None]] = defaultdict(list)
        self.calls: list[ast.Call] = []
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: list[tuple[str, Function]] = []
        self.foreign: set[str] = set()
        self.products: set[frozenset[str]] = set()
        todo: list[ast.AST] = [tree]
        while todo:
            node = todo.pop()
            self._note(node)
            todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, LEAVES)]
        self._hand_over()

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.ClassDef):
            self.classes[node.name] = node
            self.functions += [(node.name, one) for one in node.body if isinstance(one, Function) and one.name == "__init__"]
        elif isinstance(node, Function) and node.name != "__init__":
            self.functions.append((node.name, node))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            self._bind(node.target, None if isinstance(node, ast.AugAssign) else node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            self._bind(node.target, None)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    self.said[key.value].append(value)
        elif isinstance(node, ast.ImportFrom):
            self.foreign.update(one.asname or one.name for one in node.names if not LIBRARY.match(node.module or ""))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            self.products.add(frozenset((last(node.left), last(node.right))))
        elif isinstance(node, ast.Call):
            self.calls.append(node)

    def _bind(self, target: ast.AST, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts) else []
            for one, part in zip_longest(target.elts, parts):
                self._bind(one, part)
        elif name := last(target):
            self.said[name].append(value)

    def _hand_over(self) -> None:
        """Says of each parameter what the calls hand over, or its default; nobody knows that of a function that is not called."""
        callers: defaultdict[str, list[ast.Call]] = defaultdict(list)
        for call in self.calls:
            callers[last(call.func)].append(call)
        for call in (*callers["dict"], *(one for name in self.classes for one in callers[name])):
            for one in call.keywords:
                self.said[one.arg or ""].append(one.value)
        for called, function in self.functions:
            args = function.args
            names = [one.arg for one in (*args.posonlyargs, *args.args)]
            defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
            defaults |= {one.arg: given for one, given in zip(args.kwonlyargs, args.kw_defaults, strict=True) if given}
            names = tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names)
            for name in (*names, *(one.arg for one in args.kwonlyargs)):
                given = [argument_of(call, name, names) or defaults.get(name) for call in callers[called][: MOST + 1]]
                self.said[name] += given or [defaults.get(name)]

    def value(self, node: ast.AST | None, depth: int = 0) -> int | None:
        """The whole number that an expression is. None if it is not known."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and node.value < LARGEST else None
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
            return None if left is None or right is None else computed(node.op, left, right)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return self.value(node.values[0], depth + 1) or None
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
    """The last part of a name, as of `self.heads` and `config["heads"]`; "" where it is no name."""
    if isinstance(node, ast.Subscript):
        return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else ""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def spelling(node: ast.AST) -> str:
    """The name of a module and what is in it, as the code has it; "" where it is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < DEPTH:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def argument_of(call: ast.Call, name: str, names: tuple[str, ...] = ()) -> ast.expr | None:
    """An argument by its keyword, or by its place among `names`."""
    named = next((one.value for one in call.keywords if one.arg == name), None)
    ahead = call.args[: names.index(name) + 1] if name in names else []
    there = name in names and len(ahead) > names.index(name) and not any(isinstance(one, ast.Starred) for one in ahead)
    return named or (ahead[-1] if there else None)


def computed(op: ast.operator, left: int, right: int) -> int | None:
    """The result of two whole numbers where it is one."""
    if max(abs(left), abs(right)) > MAX_SIZE:
        return None
    if isinstance(op, ast.FloorDiv | ast.Div):
        return left // right if right and (isinstance(op, ast.FloorDiv) or left % right == 0) else None
    return {ast.Mult: left * right, ast.Add: left + right, ast.Sub: left - right}.get(type(op))
