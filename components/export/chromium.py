"""What Chromium is told to do: Kaleido runs it and draws Plotly's charts; pages of our own become PDF and PNG in a tab beside."""

import base64
import json
import logging
import re

import kaleido

from components.figures.letters import BOLD, FACES, USUAL, embedded

#: PDF holds when it was made. The same figure shall be the same file, so it was made, like all of them, at the same moment.
MADE = b"D:20000101000000+00'00'"


#: What went wrong is told once, as NoBrowser; these two remark on stderr on how they end a browser that is slow to leave.
for talker in ("choreographer", "kaleido"):
    logging.getLogger(talker).setLevel(logging.CRITICAL)
#: A promise that the fonts are there: a browser loads those of a style sheet only when a letter of them is first drawn.
FONTS = "Promise.all({}.map((font) => document.fonts.load(font)))".format(
    json.dumps([f"{weight} 12px '{face.family}'" for face in FACES.values() for weight in (USUAL, BOLD)])
)


class FontPage(kaleido.PageGenerator):
    """Kaleido's page with the fonts that figures are set in, so that Plotly measures what will be shown. It is loaded anew after
    every chart, so each waits for them."""

    def __init__(self):
        super().__init__(mathjax=False)  # the other choice is to fetch it from the network
        style = "".join(embedded(face) for face in FACES)
        self.header = self.header.replace("</style>", f"{style}</style>")
        wait = f"const draw = kaleido_scopes.plotly; kaleido_scopes = {{plotly: (...args) => {FONTS}.then(() => draw(...args))}};"
        self.footer = self.footer.replace("</head>", f"<script>{wait}</script></head>")


class Chromium:
    """One browser with two tabs."""

    def __init__(self, browser: kaleido.Kaleido, tab):
        self._browser, self._tab = browser, tab

    @classmethod
    async def started(cls) -> "Chromium":
        browser = kaleido.Kaleido(n=1, page_generator=FontPage())
        await browser.open()
        return cls(browser, await browser.create_tab("about:blank"))

    async def close(self) -> None:
        await self._browser.close()

    async def chart_svg(self, figure: dict, width: float, height: float) -> str:
        made = await self._browser.calc_fig(figure, opts={"format": "svg", "width": width, "height": height, "scale": 1})
        return made.decode()

    async def pdf(self, svg: str, width: float, height: float) -> bytes:
        await self._show(svg, width, height, 1)
        sides = {"paperWidth": width / 96, "paperHeight": height / 96}
        margins = dict.fromkeys(("marginTop", "marginBottom", "marginLeft", "marginRight"), 0)
        how = {"printBackground": True, "generateTaggedPDF": False, "pageRanges": "1"}
        made = base64.b64decode((await self._send("Page.printToPDF", sides | margins | how))["data"])
        return re.sub(rb"(?<=Date \()D:[^)]*(?=\))", MADE, made)

    async def png(self, svg: str, width: float, height: float, scale: float) -> bytes:
        await self._show(svg, width, height, scale)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        made = await self._send("Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
        return base64.b64decode(made["data"])

    async def _show(self, svg: str, width: float, height: float, scale: float) -> None:
        """The SVG alone on a page of its size, its fonts there."""
        title = re.search(r"<title>.*?</title>", svg, re.S)[0]  # the SVG's own, so that the PDF has it
        page = (
            f"<!doctype html><meta charset='utf-8'>{title}<style>html,body{{margin:0;overflow:hidden}}"
            f"svg{{display:block}}@page{{margin:0}}</style>{svg}"
        )
        screen = {"width": round(width), "height": round(height), "deviceScaleFactor": scale, "mobile": False}
        await self._send("Emulation.setDeviceMetricsOverride", screen)
        frame = (await self._send("Page.getFrameTree", {}))["frameTree"]["frame"]["id"]
        await self._send("Page.setDocumentContent", {"frameId": frame, "html": page})
        await self._send("Runtime.evaluate", {"expression": f"{FONTS}.then(() => 0)", "awaitPromise": True})

    async def _send(self, command: str, what: dict) -> dict:
        answer = await self._tab.send_command(command, what)
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error'].get('message')}")
        return answer["result"]
