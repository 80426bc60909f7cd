"""The layer as a program: complete scripts for Keras, PyTorch and NumPy that draw the same numbers and print the same results."""

from mha.codegen.settings import WEIGHTS_FILE
from mha.codegen.written import LIBRARIES, Settings, Unwritable, expected, printed, write

__all__ = ["LIBRARIES", "WEIGHTS_FILE", "Settings", "Unwritable", "expected", "printed", "write"]
