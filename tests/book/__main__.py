"""Writes every chapter again: `make book` or `python -m tests.book`. It runs the comparing test with the order to write."""

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ["HEADCOUNT_BOOK"] = "write"
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-n", "auto", "--maxprocesses", "4", "tests/book", *sys.argv[1:]]))
