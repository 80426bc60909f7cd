"""Command line that writes figures. An error becomes one line on stderr, and the exit status is 2."""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from headcount.export import browser
from headcount.export.browser import NoBrowser
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES, figure_named
from headcount.export.rendering import FORMATS, NEED_BROWSER, PLOTLY, file_name, file_of, latex_of, picture_of, sheet_of
from headcount.export.request import MODEL, OPTIONS, Request, Unavailable, of_layer, request_of
from headcount.export.style import FONTS, MM, OWN, PARTS, SIZES, THEMES, Style
from headcount.names import BY_CODE, did_you_mean, listed
from headcount.reading import why_not
from headcount.settings import HEAD, HEAD_OFF, HEAD_SIZES, NUMBERS, TOKENS, Setting

#: Codes of the settings that have their own flag.
FLAGS = (*BY_CODE, "split")


class BadCommand(Exception):
    """Error: the command cannot be carried out. The message says what to do."""


def every_setting() -> dict[str, Setting[Any]]:
    """Returns the settings that --set accepts, by code: those of the layer and those of all figures."""
    return {**of_layer(), **OPTIONS}


class OneLine(argparse.ArgumentParser):
    """An argument parser whose errors raise BadCommand with one line that points to --help. Flags may contain underscores."""

    def error(self, message: str):
        raise BadCommand(f"{message} (--help lists everything)")

    def parse_args(self, args: Sequence[str] | None = None) -> argparse.Namespace:  # pyright: ignore[reportIncompatibleMethodOverride]
        words = sys.argv[1:] if args is None else args
        spelt = [re.sub(r"^--[^=]+", lambda found: found[0].replace("_", "-"), word) for word in words]
        found, unknown = self.parse_known_args(spelt)
        if unknown:
            name, flags = unknown[0].partition("=")[0], re.findall(r"--[a-z][a-z-]*", self.format_usage())
            code = name.lstrip("-").replace("-", "_")
            near = f": take --set {code}=VALUE" if code in every_setting() and "--set" in flags else did_you_mean(name, flags)
            self.error(f"there is no {name}{near}")
        return found


def parser_of(command: str, about: str, formats: Sequence[str]) -> OneLine:
    """Makes the parser of a command that writes files. Only the command "figures" has flags for settings."""
    result = OneLine(prog=f"python -m headcount {command}", allow_abbrev=False, description=about)
    add = result.add_argument
    add("--format", metavar="FORMAT", help=f"{', '.join(formats)}; left out: what --out ends in, or {formats[0]}")
    add("--out", metavar="PATH", help="file, or folder (made where there is none); left out: a name that says what it is, here")
    add("--base", default="", metavar="URL", help="what the stamp's link begins with, e.g. https://example.org")
    if command != "figures":
        return result
    layer = result.add_argument_group("settings, as the address spells them").add_argument
    layers = of_layer()
    for code in FLAGS:
        layer(flag(code), metavar="VALUE", help=f"{layers[code].label}: {layers[code].constraint}")
    rest = ", ".join(code for code in every_setting() if code not in FLAGS)
    layer("--set", metavar="KEY=VALUE", action="append", default=[], help=f"any setting, those above as well as {rest}")
    return result


def parser() -> OneLine:
    about = "Writes one figure of Headcount, or all of them, as files. Several figures or formats have commas between them."
    result = parser_of("figures", about, tuple(FORMATS))
    add = result.add_argument
    add("--figure", metavar="NAME", help=f"all, or of {', '.join(FIGURES)}")
    add("--list", nargs="?", const="figures", choices=("figures", "models"),
        help="the figures, what each takes and as what it comes; or the models that --set model=NAME takes")  # fmt: skip
    look = result.add_argument_group("how it comes out").add_argument
    look("--size", metavar="SIZE", help="; ".join(f"{name}: {size.label}" for name, size in SIZES.items()))
    look("--width", metavar="WIDTH", help=f"any other, type as much larger or smaller: a number with {', '.join(UNITS)}")
    look("--theme", choices=tuple(THEMES), default="light")
    look("--font", choices=FONTS, default="sans")
    for part in PARTS:
        look(f"--{part}", action=argparse.BooleanOptionalAction, help=f"the {part}: there, but in a column and with --width")
    look(
        "--latex", action="store_true", help="the figure alone, and a .tex file that sets it with its caption, label and alt text"
    )
    return result


def values_of(args: argparse.Namespace) -> dict[str, Any]:
    """Returns the given settings by code. Raises BadCommand for a wrong --set or code, and ValueError for a wrong value."""
    pairs, known = [(code, getattr(args, code)) for code in FLAGS if getattr(args, code) is not None], every_setting()
    for text in args.set:
        key, equals, raw = text.partition("=")
        code = key.replace("-", "_")
        if not equals:
            raise BadCommand(f"--set takes KEY=VALUE, got {text!r}")
        if code not in known:
            raise BadCommand(f"there is no setting {key!r}{did_you_mean(code, known)}")
        pairs.append((code, raw))
    return {code: known[code].parse(raw) for code, raw in pairs}


def command_of(figure: Figure, request: Request, look: Style, kind: str) -> str:
    """Returns the command line that makes the same file. `kind` is the format."""
    words = ["python -m headcount figures", "--figure", figure.name]
    spelt = request.off_default() if figure.of_layer else {}
    spelt |= {key: OPTIONS[key].format(value) for key, value in request.options if key in figure.options}
    for code, text in spelt.items():
        words += [flag(code), shlex.quote(text)] if code in FLAGS else ["--set", shlex.quote(f"{code}={text}")]
    words += ["--width", f"{look.width_mm:g}mm"] if look.size == OWN else []
    size = Style().size if look.size == OWN else look.size
    for name, value, default in (("size", size, Style().size), ("theme", look.theme, "light"), ("font", look.font, "sans")):
        words += [] if value == default else [flag(name), value]
    bare = is_bare(look.size)
    words += [f"--{'no-' if bare is False else ''}{part}" for part in PARTS if getattr(look, part) is bare]
    words += ["--base", shlex.quote(look.base)] if look.base else []
    return " ".join([*words, "--out", file_name(figure, request, kind)])


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


#: Millimetres of each unit of length.
UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "px": 1 / MM}


def is_bare(size: str) -> bool:
    """Returns whether a figure of this size has none of PARTS by default. It is for a paper, which has its own text."""
    return size in ("column", OWN)


def sides_of(args: argparse.Namespace) -> dict[str, Any]:
    """Returns the fields of a Style that set the width. Raises BadCommand if --size or --width is wrong, or if both are given."""
    if args.width is None:
        size = args.size or Style().size
        if size not in SIZES:
            raise BadCommand(f"size must be {listed([*SIZES], 'or')}, got {size!r}")
        return {"size": size}
    if args.size is not None:
        raise BadCommand("--width and --size exclude each other: take one")
    found = re.fullmatch(rf"([0-9]{{1,4}}(?:\.[0-9]{{1,4}})?) ?({'|'.join(UNITS)})", args.width.strip())
    if found is None:
        raise BadCommand(f"width must be a number with {listed([*UNITS], 'or')}, such as 3.25in, got {args.width!r}")
    return {"size": OWN, "width_mm": float(found[1]) * UNITS[found[2]]}


def look_of(args: argparse.Namespace) -> Style:
    sides = sides_of(args)
    bare = args.latex or is_bare(sides["size"])
    around: dict[str, Any] = {part: not bare if (asked := getattr(args, part)) is None else asked for part in PARTS}
    return Style(theme=args.theme, font=args.font, base=args.base, **sides, **around)


def request_from(args: argparse.Namespace) -> Request:
    """Makes a request. A key or value size selects Keras's convention. Raises BadCommand or ValueError for wrong values."""
    values = values_of(args)
    own_sizes = any(code in values for code in HEAD_SIZES)
    if values.get("split") == "paper" and own_sizes:
        raise BadCommand("key_dim and value_dim follow d_model / h with split=paper: leave them out, or take --split Keras")
    return request_of({"split": "free" if own_sizes else "paper"} | values)


def kinds_of(args: argparse.Namespace) -> tuple[list[str], bool]:
    """Returns the formats, and whether there are several files. Raises BadCommand for a wrong format or output path."""
    several, out = args.figure == "all" or "," in f"{args.figure}{args.format}", args.out or ""
    ending = "" if Path(out).is_dir() else PLOTLY if out.lower().endswith(f".{PLOTLY}.json") else Path(out).suffix[1:].lower()
    if several and ending in FORMATS:
        raise BadCommand(f"--out must be a folder for several files, got {out!r}")
    kinds = "pdf" if args.latex and not ending else "svg" if several else ending or "svg"
    for kind in (args.format or kinds).split(","):
        if kind not in FORMATS:
            which = f"{listed([*FORMATS], 'or')}{' for several figures' * several}"
            raise BadCommand(f"format must be {which}, got {kind!r}" + ("" if args.format else f" from {out!r}: add --format"))
    return (args.format or kinds).split(","), several


def writable(path: Path) -> Path:
    """Checks an output path, makes its folder, and returns the path. Raises BadCommand if the path cannot be written."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise BadCommand(f"cannot make the folder {folder}: {why.strerror}. Name another with --out") from None
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise BadCommand(f"cannot write {path}: not allowed there. Name another place with --out")
    return path


def refuse_what_is_not_taken(args: argparse.Namespace, figures: Sequence[Figure], request: Request) -> None:
    """Raises BadCommand if a setting belongs to none of these figures, or if a head does not exist. Raises BadCommand also if
    there are more words than positions, or if words label nothing."""
    values = values_of(args)
    names = " or ".join(figure.name for figure in figures) if len(figures) <= 3 else "any of these figures"
    layer = of_layer() if any(figure.of_layer for figure in figures) else ()
    taken = (*layer, *(key for figure in figures for key in figure.options))
    for code in values:
        if code not in taken:
            known = f" (it takes {', '.join(taken) or 'no settings'})"
            raise BadCommand(f"{code} is not taken by {names}{did_you_mean(code, taken) or known}")
    for code in (HEAD.code, HEAD_OFF.code):
        if values.get(code, 0) > request.cfg.num_heads:
            raise BadCommand(f"{code} must be at most num_heads={request.cfg.num_heads}, got {values[code]}")
    if values.get(TOKENS.code):
        shown = request.on_words()
        cfg, words = shown.cfg, len(shown[TOKENS].split())
        if shown.reading is None and words > max(cfg.query_len, cfg.key_len):  # a trained network has a position for each word
            raise BadCommand(
                f"tokens has {words} words, but this layer has query_len={cfg.query_len} and key_len={cfg.key_len}: "
                f"give fewer words, or --query-len {words} --key-len {words}"
            )
        if shown.reading is None and not any(figure.names_positions for figure in figures):
            why = f"numbers={request[NUMBERS]}" if request[NUMBERS] != NUMBERS.default else why_not(request.cfg)
            raise BadCommand(f"tokens is not taken by {names} here ({why}): only words that a trained network reads")


def run(args: argparse.Namespace) -> Path:
    """Writes one file, or several into a folder, and returns the path. If one of several cannot be made, stderr says why."""
    (kinds, several), look, request, out = kinds_of(args), look_of(args), request_from(args), Path(args.out or ".")
    if args.figure is None:
        raise BadCommand(f"--figure is missing: name one of {', '.join(FIGURES)}, or all")
    figures = [figure_named(name) for name in (FIGURES if args.figure == "all" else args.figure.split(","))]
    refuse_what_is_not_taken(args, figures, request)
    folder = several or out.is_dir() or not out.suffix
    if several and any(kind in NEED_BROWSER for kind in kinds):
        browser.SHARED.warm()
    shared = request.in_a_set() if args.figure == "all" else request
    for figure in figures:
        for kind in kinds:
            path = writable(out / file_name(figure, request, kind) if folder else out)
            try:
                if kind == PLOTLY and args.figure == "all" and not picture_of(figure, shared).is_chart:
                    continue
                write(args, figure, shared, look, kind, path)
            except Unavailable as why:
                if not several:
                    raise
                sys.stderr.write(f"{figure.name}, {kind}: {why}\n")
    return out if several else path


def write(args: argparse.Namespace, figure: Figure, request: Request, look: Style, kind: str, path: Path) -> None:
    """Writes one file of a figure. A CSV comes with a JSON of facts. With --latex, a PDF or PNG comes with a .tex file. A remark
    of the sheet goes to stderr."""
    path.write_bytes(file_of(figure, request, look, kind))
    if args.latex and kind in ("pdf", "png"):
        writable(path.with_suffix(".tex")).write_text(latex_of(figure, request, look, path.name), encoding="utf-8")
    if kind == "csv":
        writable(path.with_suffix(".json")).write_bytes(file_of(figure, request, look, "json"))
    if kind in ("svg", *NEED_BROWSER) and (note := sheet_of(figure, request, look).note):
        sys.stderr.write(f"{figure.name}: " * (args.figure != figure.name) + f"{note}\n")


def listed_figures() -> Iterator[str]:
    for figure in FIGURES.values():
        kinds = [kind for kind in FORMATS if kind != PLOTLY or figure.draw(request_of({})).is_chart]
        taken = ", ".join([*(["the layer's settings"] if figure.of_layer else []), *figure.options]) or "no settings"
        yield f"{figure.name:20} {figure.title}. Takes {taken}; comes as {', '.join(kinds)}"


def listed_or_written(args: argparse.Namespace) -> Iterable[object]:
    return [run(args)] if not args.list else listed_figures() if args.list == "figures" else MODEL.choices


def ended(asked: OneLine, argv: Sequence[str] | None, write: Callable[[argparse.Namespace], Iterable[object]]) -> int:
    """Runs `write(arguments)` and returns the exit status. Lines of `write` go to stdout, a known error as one line to stderr."""
    try:
        sys.stdout.writelines(f"{line}\n" for line in write(asked.parse_args(argv)))
    except OSError as error:
        sys.stderr.write(f"cannot write {error.filename}: {error.strerror or error}. Name another place with --out\n")
        return 2
    except (BadCommand, ValueError, Unavailable, NoBrowser) as error:
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        return 2
    finally:
        browser.SHARED.close()
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return ended(parser(), argv, listed_or_written)
