"""The documents are true: each file, test, name and command between backticks, and each link, exists."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit.web.cli

from components.app import lesson
from components.pages.quiz import gift
from headcount.commands import USAGE
from headcount.export import command
from tests.sources import ROOT, project_files

DOCUMENTS = [path for path in project_files() if path.suffix == ".md" and not {"book", "CHANGELOG.md"} & {*path.parts}]
ENDINGS = "css|env|html|ipynb|js|json|lock|md|py|sh|svg|template|toml|txt|yaml|yml"
#: What is written as one of ours would be, and belongs to others.
NOT_OURS = {
    "config.json": "beside a visitor's weights",
    "attention/": "a folder of the build without a server",
    "--build-arg": "docker's",
    "terminationGracePeriodSeconds": "Kubernetes's",
    "acmart": "LaTeX's",
}


WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())


@cache
def code() -> dict[str, str]:
    """The text of every file that is no document, by its path."""
    files = [path for path in project_files() if path.suffix not in (".md", ".npz", ".woff2", ".png", ".svg")]
    return {path.as_posix(): (ROOT / path).read_text(encoding="utf-8") for path in files}


@cache
def words() -> set[str]:
    """Every word of the code, and the environment's names for Streamlit's options."""
    of_environment = (re.sub(r"[.-]|(?=[A-Z])", "_", flag[2:]).upper() for flag in flags())
    written = (text for path, text in code().items() if path != "tests/test_docs.py")
    return {
        *(word for text in written for word in re.findall(r"[\w-]+", text)),
        *(f"STREAMLIT_{name}" for name in of_environment),
    }


@cache
def ours() -> tuple[str, ...]:
    """All files and folders as "/a/b.py" and "/a/"."""
    files = project_files()
    return (*(f"/{path.as_posix()}" for path in files), *{f"/{folder.as_posix()}/" for path in files for folder in path.parents})


def named(path: str) -> list[str]:
    """The files and folders that end in this path, a folder with or without its last slash."""
    return [one for one in ours() if one.endswith((f"/{path}", f"/{path}/"))]


def flags() -> set[str]:
    """Every flag of our commands, and those of Streamlit's that serves the app."""
    asked = "".join(parser().format_help() for parser in (command.parser, lesson.parser, gift.parser))
    return {*re.findall(r"--[a-z-]+", asked)} | {flag for option in streamlit.web.cli.main_run.params for flag in option.opts}


def faults_of_command(line: str) -> Iterator[str]:
    """Commands of ours that do not exist, and arguments that do not."""
    program, *rest = shlex.split(line.partition(" #")[0].replace("…", ""), posix=True) or [""]
    if program == "make":
        targets = re.findall(r"^([a-z]+):", code()["Makefile"], re.MULTILINE)
        yield from (f"make {one}" for one in rest if "=" not in one and one not in targets)
    if program.endswith("python") and rest[:1] == ["-m"]:
        module, program, rest = rest[1].replace(".", "/"), rest[1], rest[2:]
        if not any((ROOT / f"{module}{end}").is_file() for end in (".py", "/__main__.py")):
            yield f"python -m {program}"
    if program == "headcount" and rest and f"headcount {rest[0]} " not in USAGE:
        yield f"headcount {rest[0]}"
    if program in ("headcount", "streamlit") or program.startswith("--"):
        asked = (word.partition("=")[0] for word in (program, *rest) if word.startswith("--"))
        yield from (flag for flag in asked if flag not in flags() and flag not in NOT_OURS)


def faults(document: Path, text: str) -> list[str]:
    """The names in the text that do not exist."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found = [
        fault
        for kind, block in fenced
        for line in block.replace("\\\n", "").splitlines()
        if kind == "sh" and line[:1].isalpha()
        for fault in faults_of_command(line)
    ]
    for span in (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)):
        path, _, after = span.partition("<")
        found += [
            f"[{one}]" for one in re.findall(r"(?:^|headcount)\[(\w+)\]", span) if f"\n{one} = [" not in code()["pyproject.toml"]
        ]
        if span in NOT_OURS or re.match(r"[/?{<]", span):
            continue
        if re.fullmatch(rf"[\w.-]+(/[\w.-]+)*(/|/\*|\.({ENDINGS}))|[\w.-]+(/[\w.-]+)+", path) or (after and "/" in path):
            ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
            found += [] if named(path.rstrip("/")) or path in ignored or path.split("/")[0] + "/" in ignored else [span]
        elif re.match(r"(make|python|headcount|streamlit|--[\w.-]+)( |=|$)|\S+/python ", span):
            found += faults_of_command(span)
        elif re.fullmatch(r"@?[A-Za-z_][\w-]*", span):
            found += [] if span.lstrip("@") in words() else [span]
    for name, where, path in re.findall(rf"`([A-Za-z_]\w+)`,? (in|of|\()\s?`([^`]+\.(?:{ENDINGS}))`", prose):
        wanted = rf"\b{name}\b" if where == "(" else rf"(def|class) {name}\b|^[^#\n=]*\b{name}\b[^=\n]*="
        files = [code()[one[1:]] for one in named(path)]
        found += [] if any(re.search(wanted, one, re.MULTILINE) for one in files) else [f"{name} in {path}"]
    for path in re.findall(r"\S+/\S+\.py\b", "".join(block for kind, block in fenced if not kind)):
        found += [] if "{" in path or named(path) else [path]
    for link in re.findall(r"\]\(([^)#:]+)\)", prose):
        found += [] if (ROOT / document.parent / link).exists() else [link]
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_a_document_names_nothing_that_is_not_there(path: Path):
    assert faults(path, (ROOT / path).read_text(encoding="utf-8")) == []


def test_the_workflow_runs_what_contributing_says():
    said = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^CI (.*?)\n\n", said, re.MULTILINE | re.DOTALL)
    run = re.findall(r"- run: (.+)", code()[".github/workflows/check.yml"])
    assert run[-1] == ".ci/run"
    made = set(re.findall(r"^make (\w+)", "\n".join([*run, code()[run[-1]]]), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)`", sentence)) == made != set()


def test_workflows_ask_for_little_and_name_what_they_take_by_its_commit():
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert "\npermissions: {contents: read}\n" in text, path
        assert re.findall(r"uses: \S+@(?![0-9a-f]{40}\b)\S+", text) == []
        assert "workflow_dispatch: {}" in text, path
        assert "\nconcurrency: " in text, path


@pytest.mark.parametrize("line", [line for path in WORKFLOWS for line in re.findall(r"\brun: (.+)", path.read_text("utf-8"))])
def test_a_workflow_runs_what_a_shell_can_read_and_names_what_exists(line: str):
    line = re.sub(r"\${{.*?}}", "value", line)
    for check in (("bash", "-n"), ("shellcheck", "--shell=bash", "-")):
        if shutil.which(check[0]):
            done = subprocess.run(check, input=line, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    commands = [shlex.split(one) for one in re.split(r" (?:&&|\|\|) ", line)]
    found = {fault for one in commands for fault in faults_of_command(shlex.join(one))}
    assert found <= {"python -m pytest"}
    files = [word for one in commands for word in one if "/" in word and "=" not in word and not word.startswith(".venv/")]
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert all(os.access(ROOT / one[0], os.X_OK) for one in commands if one[0] in files)


def test_whoever_comes_has_at_most_fifteen_words_of_ours_to_learn():
    said = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| Word .*?\n\n", said, re.MULTILINE | re.DOTALL)
    rows = [row.split(" | ") for row in table.splitlines()[2:] if row]
    assert 10 < len(rows) <= 15
    assert all(len(row) == 3 and len(row[1]) <= 70 for row in rows)


@pytest.mark.parametrize("text", [
    "`components/gone.py`", "`gone.py`", "`components/gone/`", "`components/gone/<page>`", "`test_of_nothing`", "`make gone`",
    "`python -m headcount.gone`", "`headcount gone`", "`--gone 3`", "`headcount figures --gone`", "`streamlit run app.py --gone`",
    "`_gone_name`", "`SHARED` in `headcount/config.py`", "`KEY` (`headcount/gone.py`)", "[here](docs/gone.md)",
    "`headcount[gone]`", "```sh\nmake gone\n```\n", "```sh\npython -m headcount figures --gone\n```\n",
    "```\nConfig  headcount/gone.py\n```\n",
])  # fmt: skip
def test_what_is_not_there_is_found(text: str):
    assert faults(Path("README.md"), text)


@pytest.mark.parametrize("text", [
    "`headcount/config.py`", "`config.py`", "`headcount/`", "`make check book STREAMLIT=1.62`", "`make ARGS=\"-x\"`", "`SHARED`",
    "`components/pages/<page>/`", "`python -m headcount figures --figure heads --size slide`",
    "`headcount serve --server.port 1`",
    "`SHARED` in `headcount/settings.py`", "`/?d_model=8`", "`.venv`", "[here](docs/figures.md)", "`--width 3in`",
])  # fmt: skip
def test_what_is_there_is_not_refused(text: str):
    assert faults(Path("README.md"), text) == []
