"""A figure of the app that can be exported, and the picture that it draws."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headcount.export.request import Request
from headcount.settings import NUMBERS
from headcount.stage.diagram import Diagram
from headcount.stage.scene import Scene

Drawing = Scene | Diagram | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: blocks, a schematic, or a plain Plotly figure. `title` and `caption` are computed from the same numbers.

    `_{…}` and `^{…}` in the title are lowered and raised. `alt` says in words what is drawn. `by_head`: its colours are
    heads. `arranged`: maps for a sheet so many pixels wide, and so many high at most.
    """

    drawing: Drawing
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
        """The blocks; TypeError where it is a chart."""
        if not isinstance(self.drawing, Scene):
            raise TypeError(f"{self.title!r} has no cells")
        return self.drawing

    @property
    def chart(self) -> dict[str, Any]:
        """The Plotly figure; TypeError where it is anything else."""
        if not isinstance(self.drawing, dict):
            raise TypeError(f"{self.title!r} is no chart")
        return self.drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the registry. `name` begins the file's name; `page`: where in the app it is seen ("" is the start page;
    "figures": nowhere else).

    `drawn_by` raises Unavailable with a sentence where there is no such figure. `options`: codes of those OPTIONS
    (headcount/export/request.py) that it reads. `of_layer`: whether the shared settings decide what it shows; then its offline
    file has a slider for the heads. `key`: what its page calls it. `names_positions`: whether words label rows and columns where
    no trained network reads them. `part`: what its page's address has besides, where nothing else is chosen. `instead`: it is a
    picture on its page alone, and this the figure that shows the same. `trained`: it shows a trained network's numbers where it
    can, without a choice.
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
        """What it draws with these settings: a trained network's numbers where it takes them. Unavailable where there is no such
        figure."""
        return self.drawn_by(request.on_words() if self.of_words else request)

    @property
    def of_words(self) -> bool:
        """Whether one chooses whose numbers it shows: a trained network's where it can."""
        return NUMBERS.code in self.options

    @property
    def of_trained(self) -> bool:
        """Whether it shows a trained network's numbers where it can."""
        return self.trained or self.of_words

    def link(self, request: Request) -> str:
        """The address that shows it with these settings, from the root of the site."""
        part = f"figure={self.name}" if self.page == "figures" else self.part
        return request.link(self.page, self.options, self.of_layer, part)
