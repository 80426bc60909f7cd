"""Entry point of `python -m headcount`."""

import sys

from headcount.commands import main

if __name__ == "__main__":
    sys.exit(main())
