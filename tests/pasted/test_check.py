"""The command `headcount check`: what it prints, and its exit status."""

from pathlib import Path

import pytest

from headcount.commands import main

SLIP = "embed_dim = 32\nlayers.MultiHeadAttention(num_heads=2, key_dim=embed_dim)\n"
RIGHT = "nn.MultiheadAttention(21, 7)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"a.py": SLIP, "deep/b.py": RIGHT, ".venv/c.py": SLIP, "notes.txt": SLIP}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_slip_in_a_folder_is_one_line_and_status_1(folder: Path, capsys):
    assert main(["check", str(folder)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{folder}/a.py:2: MultiHeadAttention: 2 heads of 32. ")
    assert line.endswith("You probably meant key_dim=16: 8,416 parameters now, 4,224 then.")


def test_a_comment_makes_the_status_0(folder: Path, capsys):
    (folder / "a.py").write_text(SLIP.replace("\n", "  # headcount: ok\n"))
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_read(folder: Path, capsys):
    (folder / "bad.py").write_text("def f(:")
    (folder / "latin.py").write_bytes(b"\xe9")
    assert main(["check", str(folder), str(folder / "none.py")]) == 2
    said = capsys.readouterr()
    assert "a.py:2: " in said.out
    assert "bad.py: Python cannot read line 1" in said.err
    assert len(said.err.splitlines()) == 3
