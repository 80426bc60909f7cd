"""Typed shapes, axes, lengths and masks: from text to numbers, or a sentence that says what is allowed."""

import re

import numpy as np

from components.address import quoted

MOST_SIZE = 4096
#: The longest side of a mask that is typed or clicked.
MOST_SIDE = 32


class Unreadable(ValueError):
    """Names the field, what is allowed and what came."""


def whole_numbers(key: str, text: str, least: int, most: int, count: tuple[int, int]) -> tuple[int, ...]:
    """Numbers separated by commas, spaces or ×, brackets around them or not; () for an empty text."""
    plain = text.strip().strip("()[]").strip().rstrip(",")
    if not plain:
        return ()
    words = re.split(r"\s*[,;×x]\s*|\s+", plain)
    fits = len(words) <= 64 and all(re.fullmatch(r"[-−]?[0-9]{1,5}", word) for word in words)
    numbers = [int(word.replace("−", "-")) for word in words] if fits else []
    if not fits or not count[0] <= len(numbers) <= count[1] or not all(least <= number <= most for number in numbers):
        how_many = f"{count[0]} to {count[1]} whole numbers" if count[1] > 1 else "a whole number"
        separated = " separated by commas" if count[1] > 1 else ""
        raise Unreadable(f"**{key}** must be {how_many} from {least} to {most}{separated}, got {quoted(text)}.")
    return tuple(numbers)


def read_input_shape(text: str) -> tuple[int, ...]:
    """Positions and width, without the batch, as in `keras.Input(shape=…)`."""
    return whole_numbers("input_shape", text, 1, MOST_SIZE, (1, 4))


def read_width(key: str, text: str) -> int | None:
    """One number; None for an empty text."""
    return next(iter(whole_numbers(key, text, 1, MOST_SIZE, (1, 1))), None)


def read_output_shape(text: str) -> tuple[int, ...]:
    return whole_numbers("output_shape", text, 1, MOST_SIZE, (1, 3))


def read_axes(text: str) -> tuple[int, ...]:
    return whole_numbers("attention_axes", text, -5, 5, (1, 3))


def read_lengths(text: str, batch: int, keys: int) -> tuple[int, ...]:
    """How many keys of each sample are real. Left out: all of them, one less, … one for each sample."""
    given = whole_numbers("lengths", text, 0, 512, (1, 64))[:batch]
    default = tuple(max(1, keys - 2 * sample) for sample in range(batch))
    return tuple(min(length, keys) for length in given) + default[len(given) :]


def read_cells(text: str, queries: int, keys: int) -> np.ndarray:
    """A mask (T, S) of rows of 0 and 1 separated by commas; what is not written is 1. ValueError says what is allowed."""
    mask = np.ones((queries, keys), bool)
    rows = [row for row in re.split(r"[\s,;/]+", text.strip()) if row]
    if any(not re.fullmatch(r"[01]+", row) for row in rows):
        raise Unreadable(f"**mask_cells** must be rows of 0 and 1 separated by commas, got {quoted(text)}.")
    for row, letters in zip(range(queries), rows, strict=False):
        values = [letter == "1" for letter in letters[:keys]]
        mask[row, : len(values)] = values
    return mask


def write_cells(mask: np.ndarray) -> str:
    """The text of a mask; "" where all is allowed."""
    return "" if mask.all() else ",".join("".join("1" if cell else "0" for cell in row) for row in mask)
