"""`python -m components.export`"""

import sys

from components.commands import main

if __name__ == "__main__":
    sys.exit(main(["figures", *sys.argv[1:]]))
