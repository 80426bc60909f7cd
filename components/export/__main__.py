"""`python -m components.export`"""

import sys

from components.app import lesson
from components.export.command import main

if __name__ == "__main__":
    sys.exit(main(lesson=lesson))
