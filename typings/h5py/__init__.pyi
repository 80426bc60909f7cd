"""h5py has no types of its own: whatever is taken from it is Any."""

from typing import Any

def __getattr__(name: str) -> Any: ...
