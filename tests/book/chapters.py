"""The chapters of the book. Each is a file of this folder, with the lines that the app says now."""

import contextlib
import io
from collections.abc import Callable
from functools import partial

from components.address import faults, known
from components.menu import PAGES
from components.pages.keras_layer import BY_CODE
from components.pages.questions.entries import index
from components.presenter import walk as presented
from headcount import Config
from headcount.export import command
from headcount.export.figures import FIGURES
from headcount.export.request import Unavailable, request_of
from headcount.files.report import inspect_file
from headcount.files.tensors import UnreadableFile
from headcount.models.reading import parse, read_config
from headcount.settings import SHARED
from lessons.glossary import GLOSSARY
from lessons.quiz import ROUNDS, deck
from lessons.walk import STEPS
from tests.app.driver import open_page, whole
from tests.book.reading import added, page_lines, sentences
from tests.layer.test_config import REFUSED

#: Settings under which a page that shows the layer is read again.
TELLING: dict[str, dict[str, object]] = {
    "one head": {"num_heads": 1}, "16 heads": {"num_heads": 16}, "Keras's way": {"split": "Keras", "key_dim": 6},
    "a width without trained numbers": {"d_model": 40}, "a causal mask": {"mask": "causal"},
    "too large to compute": {"d_model": 4096, "num_heads": 64, "query_len": 64, "key_len": 64},
    "an address with faults": {"num_heads": "99", "mask": "<b>x</b>", "d_model": ["8", "16"]},
}  # fmt: skip
#: Of the other pages, what opens their parts.
PARTS: dict[str, dict[str, dict[str, object]]] = {
    "trained_heads": {
        "one head": {"num_heads": 1},
        "16 heads": {"num_heads": 16},
        "Keras's way": {"split": "Keras", "key_dim": 1},
        "8 wide": {"d_model": 8},
        "a width without a trained layer": {"d_model": 40},
        "a causal mask": {"mask": "causal"},
        "a word that asks nothing, and the cost of heads": {"asking": 3, "slider": "heads"},
        "a sentence that is none": {"sentence": "<b>"},
    },
    "quiz": {"answered wrong": {"answers": "b", "number": 1}, "the end": {"answers": "abcd" * 8}},
    "keras_layer": {part: {"part": part} for part in BY_CODE["part"].choices},
    "models": {
        "a model with grouped heads": {"model": "Llama-3-8B", "further": "costs"},
        "a ledger": {"further": "ledger"},
        "heads that do not divide": {"model_heads": 10},
    },
    "questions": {"a search": {"find": "key_dim"}, "nothing found": {"find": "zqxzqx"}},
    "figures": {"a figure": {"figure": "attention"}, "a figure that is none": {"figure": "none-such"}},
    "own_layer": {},
}
Lines = list[str]


def page(name: str) -> Lines:
    """The lines of a page at its default, then those that other settings add."""
    first = page_lines(whole(open_page(name)))
    lines, before = ["At its default:", "", *first], first
    more = PARTS.get(name, TELLING)
    for title, query in more.items():
        found = page_lines(whole(open_page(name, **query)))
        lines += ["", f"“{title}” adds:", "", *added(found, before)]
    return lines


def walk() -> Lines:
    """The lines of each step of the walk: headline, sentences with numbers, note, and replies to a guess."""
    lines, below = [], page_lines(open_page("heads"))
    for number, step in enumerate(STEPS, 1):
        lines += ["", f"## {number}. {step.headline}", *sentences(presented.says(step))]
        lines += [f"    note: {line}" for line in sentences(step.note)] + [
            f"    at rest: {line}" for line in sentences(step.rest)
        ]
        if step.answers:
            lines += [
                f"    guessed {guess}: {line}" for guess in ("same", "double") for line in sentences(presented.says(step, guess))
            ]
        shown = page_lines(open_page("heads", present=1, step=number))
        lines += [f"    seen: {line}" for line in added(shown, below) if line.startswith(("picture", "chart", "drawing"))]
    return lines


def quiz(seed: int = 1) -> Lines:
    """The lines of one quiz: each question, option and reason."""
    lines: Lines = []
    names = [name if not at else "" for name, kinds in ROUNDS.items() for at, _ in enumerate(kinds)]
    for number, question in enumerate(deck(seed)):
        lines += ["", f"## {names[number]}"] if names[number] else []
        lines += ["", f"{number + 1}. {question.asks}"]
        for option in question.options:
            lines += [
                f"- {'right' if option.right else 'wrong'}: {option.text}",
                *(f"    {line}" for line in sentences(option.why)),
            ]
    return lines


def cards() -> Lines:
    """The lines of each question and statement with its answer; a statement's answer begins with the verdict."""
    lines: Lines = []
    for item in index().items:
        if item.kind in ("question", "claim"):
            lines += ["", f"## {item.name}", *sentences(item.answer)]
    return lines


def settings() -> Lines:
    """The lines of each setting: its name, its help, and what it allows."""
    lines: Lines = []
    for setting in {**{one.code: one for one in SHARED}, **known()}.values():
        lines += ["", f"## {setting.code}: {setting.label}", *sentences(setting.help)]
        lines += [f"    must be {setting.constraint}; by default {setting.default_text or 'empty'}"]
    return lines


def figures() -> Lines:
    """The lines of each figure: title, alt text and caption, at d_model 16 with 4 heads and at 512 with 8."""
    lines: Lines = []
    for name, figure in FIGURES.items():
        lines += ["", f"## {name}: {figure.title}"]
        for sizes in ({}, {"d_model": 512, "num_heads": 8}):
            try:
                picture = figure.draw(request_of(sizes))
            except Unavailable as why:
                lines += [f"    at 512 / 8, {line}" for line in sentences(str(why))]
                continue
            said = [f"{what}: {line}" for what in ("title", "caption", "alt") for line in sentences(getattr(picture, what))]
            lines += [f"    at 512 / 8, {line}" for line in added(said, lines)] if sizes else said
    return lines


#: Command lines that are refused, or say what there is.
COMMANDS = (
    "--figure atention", "--figure heads --num-heads 3", "--figure heads --num-heads 0", "--figure heads --format bmp",
    "--figure heads --set mask=x", "--figure heads --set nothing=1", "--figure heads --dpi 300", "--figure heads --width 1km",
    "--figure steps --d-model 4096 --num-heads 64 --query-len 64", "--figure head_map --set head=9", "",
)  # fmt: skip
#: Files that are none, by what they are.
FILES: dict[str, bytes] = {
    "nothing": b"", "a pickle": b"\x80\x04.", "GGUF": b"GGUF" + bytes(20), "text": b"hello", "a cut zip": b"PK\x03\x04abc",
    "a broken header": (8).to_bytes(8, "little") + b"{]      ", "JSON alone": b"{}",
}  # fmt: skip
CONFIGS = ("", "[]", '{"hidden_size": -1}', '{"model_type": 7}', '{"hidden_size": 40, "num_attention_heads": 0}')


def errors() -> Lines:
    """The error messages for a wrong Config, address, command line, file and configuration."""
    lines = ["", "## Config"]
    for field, (_, values) in REFUSED.items():
        lines += _raised(partial(Config, **{"d_model": 12, "num_heads": 3, "key_dim": 5, field: values[0]}))
    lines += ["", "## Address"]
    lines += [line for fault in faults({code: ["no <b>such</b>"] for code in known()}) for line in sentences(fault.sentence)]
    lines += ["", "## Command line"]
    for words in COMMANDS:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command.main(words.split())
        lines += [f"{words}: {line}" for line in sentences(said.getvalue())]
    lines += ["", "## Files"]
    for name, data in FILES.items():
        lines += [f"{name}: {line}" for line in _raised(partial(inspect_file, data))]
    lines += ["", "## Configurations"]
    return lines + [f"{text}: {line}" for text in CONFIGS for line in _raised(lambda text=text: read_config(parse(text)))]


def _raised(call: Callable[[], object]) -> Lines:
    try:
        call()
    except UnreadableFile as fault:
        return sentences(fault.sentence.format(*fault.names))
    except ValueError as fault:
        return sentences(fault)
    return ["(taken)"]


CHAPTERS: dict[str, Callable[[], Lines]] = {
    **{f"page_{one.name}": partial(page, one.name) for one in PAGES},
    "walk": walk, "quiz": quiz, "glossary": lambda: [f"{word}: {words}" for word, words in GLOSSARY.items()], "cards": cards,
    "settings": settings, "figures": figures, "errors": errors,
}  # fmt: skip


def written(name: str) -> str:
    """The text that the chapter's file should have."""
    return "\n".join([f"# {name}", "", *CHAPTERS[name](), ""])
