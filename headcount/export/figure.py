"""A figure of the app that can be exported, and the picture that it draws."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headcount.export.request import Request
from headcount.settings import NUMBERS
from headcount.stage.diagram import Diagram
from headcount.stage.scene import Scene

Content = Scene | Diagram | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: blocks, a schematic, or a plain Plotly figure. `title` and `caption` are computed from the same numbers.

    `_{…}` and `^{…}` in the title are subscripts and superscripts. `alt` describes the drawing in words. `by_head`: its colours
    are heads. `arranged` gives maps for a sheet of a width and a largest height in pixels.
    """

    drawing: Content
    title: str
    alt: str
    caption: str = ""
    by_head: bool = False
    arranged: Callable[[float, float], dict[str, Any]] | None = None

    @property
    def is_scene(self) -> bool:
        return isinstance(self.drawing, Scene)

    @property
    def is_chart(self) -> bool:
        """Whether it has axes, and is Plotly's on the screen."""
        return isinstance(self.drawing, dict)

    @property
    def is_plotted(self) -> bool:
        """Whether Plotly draws it in files, too: a chart, but no heatmap."""
        return self.is_chart and self.arranged is None

    @property
    def scene(self) -> Scene:
        """The blocks. Raises TypeError for a chart."""
        if not isinstance(self.drawing, Scene):
            raise TypeError(f"{self.title!r} has no cells")
        return self.drawing

    @property
    def chart(self) -> dict[str, Any]:
        """The Plotly figure. Raises TypeError for anything else."""
        if not isinstance(self.drawing, dict):
            raise TypeError(f"{self.title!r} is no chart")
        return self.drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the registry. `name` begins the file's name. `page` is its page in the app ("" is the start page; "figures": it
    has no other page).

    `drawn_by` raises Unavailable with a sentence if there is no such figure. `options`: codes of the OPTIONS
    (headcount/export/request.py) that it reads. `of_layer`: the shared settings decide its content; its offline file then has a
    slider for the heads. `key`: its name on its page. `names_positions`: words label rows and columns even without a trained
    network. `part`: a further default part of its page's address. `instead`: it is a picture on its page alone, and this figure
    shows the same. `trained`: it shows a trained network's numbers by default if it can.
    """

    name: str
    title: str
    page: str
    drawn_by: Callable[[Request], Picture]
    options: tuple[str, ...] = ()
    of_layer: bool = True
    key: str = "stage"
    names_positions: bool = False
    part: str = ""
    instead: str = ""
    trained: bool = False

    def draw(self, request: Request) -> Picture:
        """Draws the figure with these settings, with a trained network's numbers if it takes them. Raises Unavailable if there is
        no such figure."""
        return self.drawn_by(request.on_words() if self.of_words else request)

    @property
    def of_words(self) -> bool:
        """Whether a visitor chooses the source of its numbers: a trained network's if possible."""
        return NUMBERS.code in self.options

    @property
    def of_trained(self) -> bool:
        """Whether it shows a trained network's numbers if it can."""
        return self.trained or self.of_words

    def link(self, request: Request) -> str:
        """Gives the address that shows it with these settings, from the root of the site."""
        part = f"figure={self.name}" if self.page == "figures" else self.part
        return request.link(self.page, self.options, self.of_layer, part)
