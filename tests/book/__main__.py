"""`make book` writes every chapter anew: `python -m tests.book`, which is a run of the test that compares, told to write."""

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ["HEADCOUNT_BOOK"] = "write"
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-n", "auto", "--maxprocesses", "4", "tests/book", *sys.argv[1:]]))
