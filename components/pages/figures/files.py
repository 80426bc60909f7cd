"""The preview, a button for every kind of file, and all figures in one zip."""

import streamlit as st

from components.export import browser
from components.export.browser import NoBrowser
from components.export.bundle import zip_of
from components.export.charts import dressed
from components.export.command import command_of
from components.export.figure import Figure, Picture
from components.export.look import MM, Look
from components.export.rendering import FORMATS, file_name, file_of, needs_browser, sheet_of
from components.export.request import Request, Unavailable
from components.export.sheet import Sheet, pictures_instead
from components.widgets.chart import draw_chart

#: A column's figure is previewed so much larger than it is printed: a screen is further away than a page.
NEARER = 1.35


def show_figure(figure: Figure, ask: Request, look: Look) -> None:
    """The preview as it will come out, and its files; or why there is none."""
    try:
        picture = figure.draw(ask)
    except Unavailable as why:
        st.info(str(why), icon=":material/image_not_supported:")
        return
    why = browser.missing()
    sheet = _preview(figure, picture, ask, look, why)
    if sheet is not None:
        st.caption(_measures(sheet, look) + (f" {said}" if (said := pictures_instead(picture)) else ""))
    _buttons(figure, picture, ask, look, why)
    if why is not None:
        st.info(why, icon=":material/web_asset_off:")


def _preview(figure: Figure, picture: Picture, ask: Request, look: Look, missing: str | None) -> Sheet | None:
    """The sheet, where it can be drawn; a chart without a browser is shown by Plotly, without its sheet."""
    if missing and not picture.is_scene:
        draw_chart(dressed(picture.chart, look), f"{figure.name}_preview", picture.alt)
        return None
    try:
        with st.spinner("Rendering in Chromium…", show_time=True):
            sheet = sheet_of(figure, ask, look)
    except NoBrowser as failed:
        st.error(str(failed))
        return None
    with st.container(key="preview", border=True):
        st.image(sheet.svg, width=round(sheet.width * (NEARER if look.format.mm else 1)), alt=picture.alt)
    return sheet


def _measures(sheet: Sheet, look: Look) -> str:
    """Sides as they are printed or shown."""
    if look.format.mm:
        dots = look.format.dots * 96
        return f"{sheet.width / MM:.0f} × {sheet.height / MM:.0f} mm; a PNG has {2 * dots:.0f} dots an inch at 2×."
    return f"{sheet.width:.0f} × {sheet.height:.0f} pixels."


def _buttons(figure: Figure, picture: Picture, ask: Request, look: Look, missing: str | None) -> None:
    """Each file is made when its button is pressed; the button turns until it is there."""
    with st.container(horizontal=True, key="files"):
        for kind, (label, media) in FORMATS.items():
            st.download_button(
                label,
                data=lambda kind=kind: file_of(figure, ask, look, kind),
                file_name=file_name(figure, ask, kind),
                mime=media,
                key=f"get_{kind}",
                on_click="ignore",
                disabled=missing is not None and needs_browser(picture.is_scene, kind),
            )


def show_zip(ask: Request, look: Look) -> None:
    """All figures of the settings, in the kinds that are ticked."""
    offered = {label: kind for kind, (label, _) in FORMATS.items()}
    usual = [FORMATS[kind][0] for kind in ("svg", "pdf", "png@2x", "csv")]
    kinds = st.pills("For each figure", list(offered), selection_mode="multi", default=usual, key="zip_kinds")
    if not st.button("Make a zip of all figures", disabled=not kinds, icon=":material/folder_zip:"):
        return
    bar = st.progress(0.0)

    def report(done: float, what: str) -> None:
        bar.progress(done, what)

    bundle = zip_of(ask, look, tuple(offered[label] for label in kinds), report)
    bar.empty()
    name = f"figures_d{ask.cfg.d_model}_h{ask.cfg.num_heads}.zip"
    size = f"{len(bundle.data) / 1e6:.1f} MB"
    st.download_button(f"Save {name}, {size}", bundle.data, name, "application/zip", on_click="ignore", type="primary")
    for sentence in bundle.left_out:
        st.caption(f"Left out. {sentence}")


def show_command(figure: Figure, ask: Request, look: Look) -> None:
    """The same file without the app."""
    st.code(command_of(figure, ask, look, "svg"), language="sh", wrap_lines=True)
