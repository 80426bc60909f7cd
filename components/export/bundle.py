"""All figures of the current settings in one zip."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from components.export.browser import NoBrowser
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.rendering import file_name, file_of
from components.export.request import Request, Unavailable
from components.figures.numbers import plain

#: A zip tells when each file was made. The same figures shall be the same bytes: all were made at the first moment it can tell.
MADE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The zip, and a sentence for each figure that is not in it, or not in every format."""

    data: bytes
    left_out: tuple[str, ...]


def zip_of(ask: Request, look: Look, kinds: tuple[str, ...], tell: Callable[[float, str], None]) -> Bundle:
    """Every figure in every one of `kinds`. `tell`: how far it is (0 to 1), and what comes next."""
    made, left_out, said = io.BytesIO(), [], []
    with zipfile.ZipFile(made, "w") as box:
        for place, figure in enumerate(FIGURES.values()):
            tell(place / len(FIGURES), figure.title)
            try:
                picture = figure.draw(ask)
                said.append(f"{figure.title}: {plain(picture.caption or picture.alt)}")
                for kind in kinds:
                    _put(box, file_name(figure, ask, kind), file_of(figure, ask, look, kind))
            except (Unavailable, NoBrowser) as why:
                left_out.append(f"{figure.title}: {why}")
        notes = [*said, *(f"Left out. {line}" for line in left_out)]
        _put(box, "figures.txt", ("\n\n".join(notes) + "\n").encode())
    tell(1.0, "done")
    return Bundle(made.getvalue(), tuple(left_out))


def _put(box: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, MADE)
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_STORED if name.endswith((".png", ".npz", ".pdf")) else zipfile.ZIP_DEFLATED
    box.writestr(entry, data)
