"""A figure of the app that can be exported, and the picture that the figure draws."""

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
    """A drawing with its words: a scene, a diagram or a Plotly figure. `title` and `caption` are computed from the drawing's
    numbers. In the title, `_{…}` and `^{…}` are subscripts and superscripts. `alt` describes the drawing in words. `by_head` is
    True if colours stand for heads. `arranged` returns heatmaps that fit a width and a largest height in pixels."""

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
        """Whether the drawing is a Plotly figure, which has axes."""
        return isinstance(self.drawing, dict)

    @property
    def is_plotted(self) -> bool:
        """Whether Plotly draws the picture in files, too: a chart that has no heatmaps."""
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
    """One row of the registry of figures. `name` is also the beginning of its file's name. `page` is the page that shows it: ""
    is the start page, and "figures" means that no other page does.

    `drawn_by` raises Unavailable, with the reason, if the settings have no such figure. `options` are the codes of its options
    (headcount/export/request.py). `of_layer` says that its content depends on the shared settings; its offline file then has a
    slider for the heads. `key` is its name on its page, and `part` a further part of that page's address. `names_positions` says
    that words label rows and columns even without a trained network. `instead` names the figure to download in its place.
    `trained` says that it shows a trained network's numbers by default if possible.
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
        """Draws the figure with these settings. Raises Unavailable, with the reason, if they have no such figure."""
        return self.drawn_by(request.on_words() if self.of_words else request)

    @property
    def of_words(self) -> bool:
        """Whether a visitor may choose the source of the figure's numbers: trained, seed or typed."""
        return NUMBERS.code in self.options

    @property
    def of_trained(self) -> bool:
        """Whether the figure shows a trained network's numbers if possible."""
        return self.trained or self.of_words

    def link(self, request: Request) -> str:
        """Returns the address that shows the figure with these settings, from the root of the site."""
        part = f"figure={self.name}" if self.page == "figures" else self.part
        return request.link(self.page, self.options, self.of_layer, part)
