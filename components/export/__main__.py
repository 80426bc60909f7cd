"""`python -m components.export`, as it was called before `headcount figures`: for one release more."""

import re
import sys

from headcount.commands import main


def now_called(words: list[str]) -> list[str]:
    """The words of the command as it is called now: the lesson's sheet has one of its own."""
    command = "lesson" if any(word.startswith("--lesson") for word in words) else "figures"
    return [command, *(re.sub(r"^--lesson\b", "--format", word) for word in words)]


if __name__ == "__main__":
    command = now_called(sys.argv[1:])
    sys.stderr.write(f"python -m components.export is now called python -m headcount {command[0]}\n")
    sys.exit(main(command))
