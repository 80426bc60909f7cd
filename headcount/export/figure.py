"""Classes for a figure that can be exported, and for the picture that the figure draws."""

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
    """A drawing with its texts.
    - `title`: the title, in which `_{…}` is a subscript and `^{…}` a superscript.
    - `alt`: a description of the drawing.
    - `by_head`: whether colours stand for heads.
    - `arranged`: for heatmaps, a function that draws them again for a width and a largest height, in pixels."""

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
        return isinstance(self.drawing, dict)

    @property
    def is_plotted(self) -> bool:
        """Whether the picture is a chart without heatmaps, which only Plotly can draw."""
        return self.is_chart and self.arranged is None

    @property
    def scene(self) -> Scene:
        """The drawing as a scene. Raises TypeError for any other drawing."""
        if not isinstance(self.drawing, Scene):
            raise TypeError(f"{self.title!r} has no cells")
        return self.drawing

    @property
    def chart(self) -> dict[str, Any]:
        """The drawing as a Plotly figure. Raises TypeError for any other drawing."""
        if not isinstance(self.drawing, dict):
            raise TypeError(f"{self.title!r} is no chart")
        return self.drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that the app shows.
    - `name`: the name of the figure, with which the names of its files begin.
    - `page`: the page that shows the figure. "" is the start page, and "figures" means no other page.
    - `options`: codes of the options in headcount/export/request.py that change the figure.
    - `of_layer`: whether the figure depends on the layer. Its offline file then has a slider for possible head counts.
    - `key`: the name of the figure on its page.
    - `names_positions`: whether words label positions even without a trained network.
    - `part`: a further part of the page's address.
    - `instead`: the name of the figure that is downloaded in place of this figure.
    - `trained`: whether the figure shows a trained network if possible."""

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
        """Draws the figure for a request. If these settings have no such figure, raises Unavailable with the reason."""
        return self.drawn_by(request.on_words() if self.of_words else request)

    @property
    def of_words(self) -> bool:
        """Whether the figure has the option that chooses the source of its numbers."""
        return NUMBERS.code in self.options

    @property
    def of_trained(self) -> bool:
        return self.trained or self.of_words

    def link(self, request: Request) -> str:
        """Returns the address of the figure with the settings of a request, from the root of the site."""
        part = f"figure={self.name}" if self.page == "figures" else self.part
        return request.link(self.page, self.options, self.of_layer, part)
