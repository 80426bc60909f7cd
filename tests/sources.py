"""The project's files as git knows them, for tests that read source code."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@cache
def project_files() -> tuple[Path, ...]:
    """All files that are committed or could be (not ignored), relative to the root."""
    asked = ("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"not a git checkout: {answer.stderr.strip()}", allow_module_level=True)
    return tuple(path for name in sorted(answer.stdout.split("\0")) if name and (path := Path(name)) and (ROOT / path).is_file())


def python_files(*tops: str) -> list[Path]:
    """The Python files: all, or those in the given folders, or those with the given names."""
    files = [path for path in project_files() if path.suffix == ".py"]
    return [path for path in files if path.parts[0] in tops] if tops else files
