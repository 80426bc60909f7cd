"""`python -m components.export`, as it was called before `headcount figures`: for one release more."""

import sys

from headcount.commands import main

if __name__ == "__main__":
    sys.stderr.write("python -m components.export is now called python -m headcount figures\n")
    sys.exit(main(["figures", *sys.argv[1:]]))
