"""What a name in pasted code stands for, as far as the code says it: in assignments, attributes, dicts, defaults and calls."""

import ast
import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Mapping
from itertools import zip_longest

from headcount.models.reading import MAX_SIZE
from headcount.typed import Unreadable

#: Modules of the libraries; a class of the same name from elsewhere is another.
LIBRARY = re.compile(r"(tf|tensorflow|tf_keras|keras\w*|layers|nn|F|torch|transformers)\b")
#: How often a value is looked up for one text, how deep, and how many calls or assignments of one name are compared.
FUEL, DEPTH, MOST = 20_000, 25, 100
#: Marks of a console, a notebook or a page before code.
MARKS = re.compile(r"^[ \t]*(>>> ?|\.\.\. ?|In \[\d+\]: ?|[%!`].*$)", re.MULTILINE)
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.alias, ast.arg)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = tuple[ast.AST, ...]
Bound = list[tuple[ast.expr | None, Scope]]


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


def is_code(text: str) -> bool:
    """Whether it is Python."""
    try:
        return bool(parse(text).body)
    except Unreadable:
        return False


class Source:
    """Code as names and what stands for them. `known`: numbers that the code does not say, by the spelling of their names."""

    def __init__(self, tree: ast.Module, known: Mapping[str, int]):
        self.known, self.fuel = known, FUEL
        self.bound: defaultdict[tuple[ast.AST, str], Bound] = defaultdict(list)
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.defined: dict[str, ast.AST] = {}
        self.callers: defaultdict[str, list[tuple[ast.Call, Scope]]] = defaultdict(list)
        self.foreign: set[str] = set()
        self.products: set[frozenset[str]] = set()
        todo: list[tuple[ast.AST, Scope]] = [(tree, (tree,))]
        while todo:
            node, scope = todo.pop()
            self._note(node, scope)
            inner = (*scope, node)[-DEPTH:] if isinstance(node, Function | ast.ClassDef) else scope
            todo += [(child, inner) for child in reversed([*ast.iter_child_nodes(node)]) if not isinstance(child, LEAVES)]

    def _note(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, Function | ast.ClassDef):
            self.defined[node.name] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, scope)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            self._bind(node.target, None if isinstance(node, ast.AugAssign) else node.value, scope)
        elif isinstance(node, ast.For | ast.comprehension):
            self._bind(node.target, None, scope)
        elif isinstance(node, ast.ImportFrom) and not LIBRARY.match(node.module or ""):
            self.foreign.update(one.asname or one.name for one in node.names)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            self.products.add(frozenset((last(node.left), last(node.right))))
        elif isinstance(node, ast.Call):
            self.calls.append((node, scope))
            self.callers[last(node.func)].append((node, scope))

    def _bind(self, target: ast.AST, value: ast.expr | None, scope: Scope) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts) else []
            for one, part in zip_longest(target.elts, parts):
                self._bind(one, part, scope)
        elif isinstance(target, ast.Name):
            self.bound[scope[-1], target.id].append((value, scope))
        elif isinstance(target, ast.Attribute) and (owner := class_of(scope)):
            self.bound[owner, target.attr].append((value, scope))

    def value(self, node: ast.AST | None, scope: Scope, depth: int = 0) -> object:
        """The number, text or truth value that an expression has, or the dict or call that it is; None where it is not known."""
        self.fuel -= 1
        if node is None or depth > DEPTH or self.fuel < 0:
            return None
        if (spelt := spelling(node)) in self.known:
            return self.known[spelt]
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._looked_up(node, scope, depth)
        if isinstance(node, ast.Attribute | ast.Subscript):
            key = node.attr if isinstance(node, ast.Attribute) else self.value(node.slice, scope, depth + 1)
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and (owner := class_of(scope)):
                return self._agreed(self.bound.get((owner, str(key)), []), depth)
            return self._member(self.value(node.value, scope, depth + 1), str(key), scope, depth)
        if isinstance(node, ast.BinOp):
            left, right = (self.value(one, scope, depth + 1) for one in (node.left, node.right))
            return computed(node.op, left, right)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return self.value(node.values[0], scope, depth + 1) or None
        if isinstance(node, ast.Call) and last(node.func) == "int" and len(node.args) == 1:
            return self.value(node.args[0], scope, depth + 1)
        is_object = isinstance(node, ast.Call) and (last(node.func) == "dict" or last(node.func) in self.defined)
        return node if is_object or isinstance(node, ast.Dict) else None

    def _looked_up(self, node: ast.Name, scope: Scope, depth: int) -> object:
        for place in range(len(scope), 0, -1):
            around = scope[place - 1]
            found = self.bound.get((around, node.id), [])
            if place == len(scope):  # where it is used, the last line before counts
                found = [one for one in found if one[0] is None or one[0].lineno <= node.lineno][-1:]
            elif isinstance(around, ast.ClassDef):
                continue
            if found:
                return self._agreed(found, depth)
            if isinstance(around, Function) and node.id in parameters(around):
                return self._given(around, node.id, scope[:place], depth)
        return None

    def _agreed(self, found: Bound, depth: int) -> object:
        """What all of these are; None where two differ."""
        values = [self.value(value, scope, depth + 1) for value, scope in found[:MOST]]
        return values[0] if 0 < len(found) <= MOST and all(one == values[0] for one in values) else None

    def _given(self, function: Function, name: str, scope: Scope, depth: int) -> object:
        """What a parameter is: that of all calls in the code, or its default."""
        owner = scope[-2] if len(scope) > 1 and isinstance(scope[-2], ast.ClassDef) else None
        called, names = function.name, parameters(function)
        if owner and names[:1] == ("self",):
            called, names = (owner.name if called == "__init__" else called), names[1:]
        args = function.args
        pairs = [*zip(reversed((*args.posonlyargs, *args.args)), reversed(args.defaults), strict=False)]
        pairs += [(one, given) for one, given in zip(args.kwonlyargs, args.kw_defaults, strict=True) if given]
        usual = next((given for one, given in pairs if one.arg == name), None)
        calls = [(argument_of(call, name, names) or usual, around) for call, around in self.callers.get(called, [])[: MOST + 1]]
        return self._agreed(calls or [(usual, scope[:-1])], depth)

    def _member(self, holder: object, key: str, scope: Scope, depth: int) -> object:
        """What a dict of the code, or an object of one of its classes, has under this name."""
        if isinstance(holder, ast.Dict):
            pairs = zip(holder.keys, holder.values, strict=True)
            held = (value for name, value in pairs if isinstance(name, ast.Constant) and name.value == key)
            return self.value(next(held, None), scope, depth + 1)
        if not isinstance(holder, ast.Call):
            return None
        if argument := argument_of(holder, key):
            return self.value(argument, scope, depth + 1)
        owner = self.defined.get(last(holder.func))
        return self._agreed(self.bound.get((owner, key), []), depth) if owner else None


def parameters(function: Function) -> tuple[str, ...]:
    """The names of a function's parameters, in their order."""
    return tuple(one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs))


def class_of(scope: Scope) -> ast.ClassDef | None:
    """The innermost class around."""
    return next((one for one in reversed(scope) if isinstance(one, ast.ClassDef)), None)


def last(node: ast.AST) -> str:
    """The last part of a name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def spelling(node: ast.AST) -> str:
    """A name as the code spells it; "" where it is no name."""
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


def is_whole(value: object) -> bool:
    """Whether it is a whole number of a size that is read."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_SIZE


def computed(op: ast.operator, left: object, right: object) -> int | None:
    """The result of two whole numbers where it is one."""
    if not (isinstance(left, int) and isinstance(right, int) and is_whole(left) and is_whole(right)):
        return None
    if isinstance(op, ast.FloorDiv | ast.Div):
        return left // right if right and (isinstance(op, ast.FloorDiv) or left % right == 0) else None
    return {ast.Mult: left * right, ast.Add: left + right, ast.Sub: left - right}.get(type(op))
