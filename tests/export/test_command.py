"""The command line: what it writes, and its one line if it cannot. `make figures` uses it for the README's pictures, which are up
to date."""

import io
import json
import re
import shlex
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import plotly.io
import pytest

from headcount import commands
from headcount.export import command
from headcount.export.command import command_of, look_of, main, parser, request_from
from headcount.export.figures import EVERY, FIGURES
from headcount.export.rendering import file_name, file_of, zip_of
from headcount.export.request import MODEL, request_of
from headcount.export.sheet import Sheet
from headcount.export.style import PARTS, Style
from headcount.stage.numbers import plain
from tests.sources import ROOT


def refused(capsys, *words: str) -> str:
    """The line on stderr, after a check that nothing else was printed and that the exit code is 2."""
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    return said.err.strip()


@pytest.mark.parametrize("heads", ["--num-heads 4 --format svg", "--num_heads 4"])
def test_the_file_is_written_in_a_folder_that_is_made_and_its_place_is_said(heads, tmp_path, capsys):
    """A flag may be spelt as in the address."""
    out = tmp_path / "new" / "folder" / "f.svg"
    assert main(["--figure", "heads", *heads.split(), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert out.read_bytes() == file_of(FIGURES["heads"], request_of({"num_heads": 4}), Style(), "svg")


@pytest.mark.parametrize(
    ("width", "millimetres"), [("3.25in", 82.55), ("82.6mm", 82.6), ("7.7cm", 77), ("252pt", 88.9), ("960px", 254)]
)
def test_a_width_may_be_given_in_any_unit(width, millimetres):
    look = look_of(parser().parse_args(["--figure", "heads", "--width", width]))
    assert (look.size, look.width_mm) == ("own", pytest.approx(millimetres))


@pytest.mark.parametrize(("name", "size"), [("attention", "page"), ("concatenation", "column")])
def test_latex_sets_the_figure_alone_as_wide_as_it_is_with_its_caption_label_and_description(name, size, tmp_path, monkeypatch):
    """LaTeX's special characters are escaped. In print no caption names a colour."""
    monkeypatch.setattr(command, "file_of", lambda figure, request, look, kind: f"{look.title} {look.caption} {kind}".encode())
    monkeypatch.setattr(command, "sheet_of", lambda *_: Sheet("", 0, 0))
    out = tmp_path / "figures" / "f.pdf"
    assert main(["--figure", name, "--latex", "--size", size, "--theme", "print", "--out", str(out)]) == 0
    assert out.read_text() == "False False pdf"
    said = (tmp_path / "figures" / "f.tex").read_text()
    wide = {"page": "6.5in", "column": "3.5in"}[size]
    alt = plain(FIGURES[name].draw(request_of({})).alt)
    assert rf"\includegraphics[width={wide}, alt={{{alt[:8]}" in said
    assert "{f.pdf}" in said
    assert rf"\label{{fig:{name}}}" in said
    assert not re.search(
        r"violet|brown|colour|[×√−_]", said.split(r"\caption", 1)[1].replace("$_{", "").replace(f"fig:{name}", "")
    )
    assert said.count("{") == said.count("}")
    assert {sign for sign in said if not sign.isascii()} <= set("“”’–")


def test_a_folder_gets_a_file_whose_name_says_what_it_is(tmp_path):
    assert main(["--figure", "steps", "--set", "head=2", "--format", "npz", "--out", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["steps_d16_h4_head2.npz"]


def test_several_figures_and_formats_go_into_one_folder_and_all_of_them_show_one_layer(tmp_path, capsys):
    """All have the same positions, mask and numbers, by the facts beside each table. By hand: 13 words."""
    settings = ("--num-heads", "2", "--set", "mask=causal")
    assert main(["--figure", "all", *settings, "--format", "csv,npz", "--out", str(tmp_path)]) == 0
    ask = request_of({"num_heads": 2, "mask": "causal"})
    assert {path.name for path in tmp_path.iterdir()} == {
        file_name(figure, ask, kind) for figure in FIGURES.values() for kind in ("csv", "json", "npz")
    }
    assert capsys.readouterr().err == ""
    facts = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    layers = {tuple(fact[key] for key in ("query_len", "key_len", "mask", "numbers")) for fact in facts if "d_model" in fact}
    assert layers == {(13, 13, "causal", "trained")}
    assert main(["--figure", "steps,heads", "--format", "svg,html", "--out", str(tmp_path / "figures")]) == 0
    two = {f"{name}_d16_h4.{kind}" for name in ("steps", "heads") for kind in ("svg", "html")}
    assert two == {path.name for path in (tmp_path / "figures").iterdir()}


def test_words_that_would_vanish_are_refused(capsys, tmp_path):
    seven = ("--figure", "steps", "--set", "tokens=we gave her a red old book", "--set", "numbers=seed", "--out", str(tmp_path))
    said = refused(capsys, *seven, "--query-len", "6", "--key-len", "6")
    assert "tokens has 7 words, but this layer has query_len=6 and key_len=6" in said
    assert main(seven) == 0


def test_a_sentence_that_the_trained_layer_cannot_read_is_refused_with_what_it_can(capsys, tmp_path):
    said = refused(capsys, "--figure", "steps", "--set", "tokens=we gave her a red old book", "--out", str(tmp_path))
    assert "The sentence cannot be read" in said
    assert "Ana calls Dan in Rome today" in said
    other = "Bob sees Fay in Lima now and in Oslo he hugs Cleo soon"
    assert main(["--figure", "steps", "--set", f"tokens={other}", "--out", str(tmp_path)]) == 0


def test_headcount_alone_says_what_it_can_do(capsys):
    assert commands.main([]) == 0
    assert "headcount serve" in capsys.readouterr().out


def test_the_list_has_every_figure_with_what_it_takes_and_as_what_it_comes(capsys):
    assert main(["--list"]) == 0
    said = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert list(said) == list(FIGURES)
    assert said["pieces"].endswith("Takes the layer's settings; comes as svg, pdf, png, html, csv, npz")
    assert said["published_widths"].endswith("Takes no settings; comes as svg, pdf, png, html, csv, npz, plotly")


def test_the_models_are_listed_as_the_command_takes_them(capsys):
    assert main(["--list", "models"]) == 0
    names = capsys.readouterr().out.split()
    assert len(names) == 60
    assert names[0] == request_from(parser().parse_args(["--figure", "published_sharing"]))[MODEL] == "Llama-3-8B"


def test_a_width_of_paper_means_the_figure_alone_and_each_part_can_be_asked_for():
    of = lambda words: look_of(parser().parse_args(["--figure", "heads", *words.split()]))  # noqa: E731
    parts = lambda look: [part for part in PARTS if getattr(look, part)]  # noqa: E731
    assert parts(of("--size column")) == parts(of("--width 77mm")) == parts(of("--latex")) == []
    assert parts(of("--width 77mm --caption --background")) == ["caption", "background"]
    assert parts(of("--size slide --no-stamp")) == ["title", "caption", "background"]


def test_figures_of_a_set_show_one_network_with_any_number_of_heads():
    """With 8 heads it is the network trained with 8. The start page's is the one trained with 4, cut again."""
    ask = request_of({"num_heads": 8})
    own, cut = (one.trace()["w_q"].values.reshape(16, 16) for one in (ask.on_words(), ask.on_words(cut=True)))
    assert not np.allclose(own, cut)
    for name in ("heads", "pieces"):
        grids = FIGURES[name].draw(ask.in_a_set()).scene.grids
        assert np.array_equal(next(iter(grids.values())).values if name != "pieces" else grids["w_q"].values, own), name
    assert np.array_equal(FIGURES["heads"].draw(ask).scene.grids["w_q"].values, cut)
    assert np.array_equal(EVERY["cuts"].draw(ask).scene.grids["w_q"].values, cut), "as on its page"


def test_a_figure_that_these_sizes_do_not_have_is_left_out_of_all_and_said(tmp_path, capsys):
    assert main(["--num-heads", "3", "--set", "split=free", "--figure", "all", "--format", "plotly", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "published_widths.plotly.json").is_file()
    assert "3 heads could not share a width of 16 evenly" in capsys.readouterr().err


def test_a_figure_of_plotlys_is_one_that_plotly_knows(tmp_path):
    assert main(["--figure", "attention", "--out", str(tmp_path / "f.plotly.json")]) == 0
    figure = plotly.io.from_json((tmp_path / "f.plotly.json").read_text())
    trained = request_of({}).on_words().trace()
    np.testing.assert_allclose(np.asarray(figure.data[2].z), trained.weights.values[0, 2], rtol=1e-6)


@pytest.mark.parametrize(("words", "sentence"), [
    ("--figure hedas", "there is no figure 'hedas' among heads, "),
    ("--figure atention", "published_widths: did you mean attention?"),
    ("--figure steps --set head=9", "head must be at most num_heads=4, got 9"),
    ("--figure concatenation --num-heads 2 --set head-off=3", "head_off must be at most num_heads=2, got 3"),
    ("--figure heads --set head=8", "head is not taken by heads: did you mean num_heads?"),
    ("--figure time --set rotary=halves", "rotary is not taken by time"),
    ("--figure steps,divisors --set kernel=w_v", "kernel is not taken by steps or divisors"),
    ("--figure projections --set numbers=seed --set tokens=she",
     "tokens is not taken by projections here (numbers=seed): only words that a trained network reads"),
    ("--figure concatenation --d-model 17 --num-heads 1 --set tokens=she",
     "tokens is not taken by concatenation here (no layer of these sizes was trained)"),
    ("--figure published_widths --set seed=7", "seed is not taken by published_widths (it takes no settings)"),
    ("--figure heads --nom-heads 2", "there is no --nom-heads: did you mean --num-heads?"),
    ("--figure heads --widht 2", "there is no --widht: did you mean --width?"),
    ("--figure heads --num 2", "there is no --num"),
    ("--figure heads --mask causal", "there is no --mask: take --set mask=VALUE"),
    ("--figure heads --set mask", "--set takes KEY=VALUE, got 'mask'"),
    ("--figure heads --set maks=causal", "there is no setting 'maks': did you mean mask?"),
    ("--figure heads --set use_bias=maybe", "use_bias must be true or false, got 'maybe'"),
    ("", "--figure is missing: name one of heads, "),
    ("--figure heads --width 3.25", "width must be a number with mm, cm, in, pt or px, such as 3.25in, got '3.25'"),
    ("--figure heads --width 99in", "width_mm must be a number from 40 to 420, got 2514.6"),
    ("--figure block_diagram --size column", "This figure is not legible as a column with these settings. Take the size page."),
    ("--figure heads --width 77mm --size page", "--width and --size exclude each other: take one"),
    ("--figure heads --size wide", "size must be page, column or slide, got 'wide'"),
    ("--figure heads --num-heads 3", "num_heads must divide d_model=16 with split=paper, got 3"),
    ("--figure heads --num-heads 0", "num_heads must be a whole number from 1 to 256, got 0"),
    ("--figure heads --d-model many", "d_model must be a whole number from 1 to 4,096, got 'many'"),
    ("--figure heads --d-model 5000", "d_model must be a whole number from 1 to 4,096, got 5000"),
    ("--figure heads --query-len 513", "query_len must be a whole number from 1 to 512, got 513"),
    ("--figure steps --set head=0", "head must be a whole number from 1 to 256, got 0"),
    ("--figure steps --set mask=some", "mask must be none or causal, got 'some'"),
    (f"--figure steps --set tokens={'x' * 2001}", "tokens must be a text of at most 2,000 characters, got 2,001"),
    ("--figure cuts_schematic --set cut=keen", "cut must be fused, separate or keras, got 'keen'"),
    ("--figure heads --set seed=-1", "seed must be a whole number from 0 to 9,999, got '-1'"),
    ("--figure heads --split paper --key-dim 4", "leave them out, or take --split Keras"),
    ("--figure heads --theme sepia", "argument --theme: invalid choice: 'sepia'"),
    ("--figure heads --wat", "there is no --wat (--help lists everything)"),
    ("--figure steps --format plotly", "This picture is no Plotly figure."),
    ("--figure steps,heads --format bmp", "csv, npz or plotly for several figures, got 'bmp'"),
    ("--figure steps,heads --out f.svg", "--out must be a folder for several files, got 'f.svg'"),
    ("--figure heads --out f.bmp", "csv, npz or plotly, got 'bmp' from 'f.bmp': add --format"),
])  # fmt: skip
def test_what_cannot_be_is_one_line(capsys, words, sentence):
    assert sentence in refused(capsys, *words.split())


def test_a_place_that_cannot_be_written_is_said_before_anything_is_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "file_of", None)
    (tmp_path / "file").write_text("")
    beneath = refused(capsys, "--figure", "heads", "--out", str(tmp_path / "file" / "f.svg"))
    assert beneath == f"cannot make the folder {tmp_path / 'file'}: File exists. Name another with --out"
    monkeypatch.setattr(command.os, "access", lambda path, how: False)
    said = refused(capsys, "--figure", "heads", "--out", str(tmp_path / "f.svg"))
    assert said.endswith("not allowed there. Name another place with --out")


def test_a_disk_that_refuses_is_one_line(tmp_path, capsys, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(command.Path, "write_bytes", full)
    assert "No space left on device. Name another place with --out" in refused(
        capsys, "--figure", "heads", "--out", str(tmp_path / "f.svg")
    )


@pytest.mark.parametrize(("name", "kind"), [("heads", "pdf"), ("heads", "png"), ("time", "pdf")])
def test_without_a_browser_it_says_what_to_install(tmp_path, capsys, monkeypatch, name, kind):
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    said = refused(capsys, "--figure", name, "--format", kind, "--out", str(tmp_path))
    assert "need Chrome or Chromium; BROWSER_PATH names" in said
    assert "apt-get install chromium" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "kinds"), [("concatenation", "svg,html,csv,npz"), ("time", "html,csv,npz,plotly")])
def test_without_a_browser_there_are_pages_and_numbers_and_of_cells_svg(tmp_path, monkeypatch, name, kinds):
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    assert main(["--figure", name, "--format", kinds, "--out", str(tmp_path)]) == 0
    assert len([*tmp_path.iterdir()]) == len(kinds.split(",")) + 1, "a CSV has its facts beside it"


@pytest.mark.parametrize(("name", "query", "look"), [
    ("heads", {}, Style()),
    (
        "steps", {"num_heads": 8, "head": 3, "numbers": "seed", "tokens": "it's a \"cat\" & $HOME", "divisor": "none"},
        Style("slide", "print"),
    ),
    ("projections", {"d_model": 26, "num_heads": 13}, Style("own", width_mm=77, background=False)),
    ("projections", {"split": "free", "key_dim": 5, "value_dim": 7, "kernel": "w_v", "seed": 5}, Style(title=False)),
    ("attention", {"d_model": 21, "num_heads": 7, "mask": "causal", "use_bias": False, "query_len": 3, "key_len": 11},
     Style(size="column", font="serif", caption=False, stamp=False, base="https://example.org")),
])  # fmt: skip
def test_the_command_that_the_page_shows_asks_for_the_same(name, query, look):
    ask = request_of(query)
    words = shlex.split(command_of(FIGURES[name], ask, look, "svg"))
    assert words[:4] == ["python", "-m", "headcount", "figures"]
    args = parser().parse_args(words[4:])
    assert (args.figure, request_from(args), look_of(args)) == (name, ask, look)


def test_the_zip_has_every_figure_and_says_what_is_left_out():
    told = []
    kinds = ("csv", "npz")
    data, left_out = zip_of(request_of({"num_heads": 2}), Style(), kinds, lambda done, what: told.append(done))
    assert data == zip_of(request_of({"num_heads": 2}), Style(), kinds, lambda done, what: None)[0]
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        names = box.namelist()
        notes = box.read("figures.txt").decode()
    assert {name.partition("_d16")[0] for name in names if name.endswith(".npz")} >= {"heads", "attention", "concatenation"}
    assert len(names) == (len(kinds) + 1) * len(FIGURES) + 1
    assert left_out == []
    assert {name.replace(".json", ".csv") for name in names if name.endswith(".json")} == {n for n in names if n.endswith(".csv")}
    assert "queries are X times its slice of W_Q" in notes
    assert not re.search(r"[_^]\{", notes), "plain words, no label's markup"
    assert told == sorted(told)
    assert told[-1] == 1


SVG = "{http://www.w3.org/2000/svg}"
MAKE = (ROOT / "Makefile").read_text()
COMMON = shlex.split(re.search(r"^FIGURE := \$\(PYTHON\) -m headcount figures (.*)$", MAKE, re.M)[1])
LINES = [shlex.split(line) for line in re.findall(r"^\t\$\(FIGURE\) (.*)$", MAKE, re.M)]
FILES = [line[line.index("--out") + 1] for line in LINES]


def test_make_figures_renders_every_picture_of_the_readme():
    shown = re.findall(r"\]\((assets/readme/[^)]+)\)", (ROOT / "README.md").read_text())
    made = [*FILES, *re.findall(r"^\t\$\(PYTHON\) -m tests\.browser\.screenshot (.*)$", MAKE, re.M)]
    assert sorted(shown) == sorted(made) == sorted(f"assets/readme/{path.name}" for path in (ROOT / "assets/readme").iterdir())


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("line", LINES, ids=FILES)
def test_a_picture_in_the_readme_is_what_the_app_draws(line, tmp_path):
    """Words and places must be equal. A colour may differ by 1 of 255, because another machine may round a product otherwise."""
    out = tmp_path / "f.svg"
    words = [*COMMON, *line]
    words[words.index("--out") + 1] = str(out)
    assert main(words) == 0
    made, shown = ET.parse(out).getroot(), ET.parse(ROOT / line[line.index("--out") + 1]).getroot()
    assert [e.tag for e in made.iter()] == [e.tag for e in shown.iter()]
    for one, other in zip(made.iter(), shown.iter(), strict=True):
        assert one.text == other.text
        fills = one.attrib.pop("fill", ""), other.attrib.pop("fill", "")
        assert one.attrib == other.attrib
        if fills[0] != fills[1]:
            assert max(abs(a - b) for a, b in zip(*map(rgb, fills), strict=True)) <= 1
