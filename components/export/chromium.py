"""What Chromium is told to do: Kaleido runs it and draws Plotly's charts; pages of our own become PDF and PNG in a tab beside."""

import base64
import re

import kaleido

#: PDF holds when it was made. The same figure shall be the same file, so it was made, like all of them, at the same moment.
MADE = b"D:20000101000000+00'00'"


class FontPage(kaleido.PageGenerator):
    """Kaleido's page with the fonts that figures are set in, so that Plotly measures what will be shown."""

    def __init__(self, style: str):
        super().__init__(mathjax=False)  # the other choice is to fetch it from the network
        self.header = self.header.replace("</style>", f"{style}</style>")


class Chromium:
    """One browser with two tabs."""

    def __init__(self, browser: kaleido.Kaleido, tab):
        self._browser, self._tab = browser, tab

    @classmethod
    async def started(cls) -> "Chromium":
        from components.figures.letters import FACES, embedded

        style = "".join(embedded(face) for face in FACES)
        browser = kaleido.Kaleido(n=1, page_generator=FontPage(style))
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
        page = (
            "<!doctype html><meta charset='utf-8'><style>html,body{margin:0;overflow:hidden}"
            f"svg{{display:block}}@page{{margin:0}}</style>{svg}"
        )
        screen = {"width": round(width), "height": round(height), "deviceScaleFactor": scale, "mobile": False}
        await self._send("Emulation.setDeviceMetricsOverride", screen)
        frame = (await self._send("Page.getFrameTree", {}))["frameTree"]["frame"]["id"]
        await self._send("Page.setDocumentContent", {"frameId": frame, "html": page})
        ready = "Promise.all([...document.fonts].map(f => f.load())).then(() => document.fonts.ready).then(() => 0)"
        await self._send("Runtime.evaluate", {"expression": ready, "awaitPromise": True})

    async def _send(self, command: str, what: dict) -> dict:
        answer = await self._tab.send_command(command, what)
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error'].get('message')}")
        return answer["result"]
