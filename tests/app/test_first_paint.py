"""The start page as the server sends it: its heading and picture, seen until the app draws them."""

import gzip
import re

import numpy as np
from starlette.applications import Starlette

from components.app.first_paint import WIDTHS, first_paint
from components.app.server import Addresses, index_page
from headcount.export.figures import cards
from headcount.export.request import request_of
from headcount.stage.both import scene_in_both
from headcount.stage.pictures.reader import reader
from headcount.stage.wire import pack
from headcount.trained.sentence import DEFAULT
from tests.app.driver import come, fetch, pictures
from tests.stage.reading import unpacked


def test_its_heading_lead_and_picture_are_those_of_the_page():
    at = come()
    sent = first_paint(index_page())
    assert re.findall("<b>(.*?)</b>", sent) == [at.title[0].value]
    (lead,) = re.findall("<p>(.*?)</p>", sent)
    assert f'<p class="lead">{lead}</p>' in [one.proto.body for one in at.get("html")]
    request = request_of({}).on_words(cut=True)
    scene, _ = cards(request, reader(request.cfg, DEFAULT))
    (plan, values), (of_page, its_values) = unpacked(pack(scene)), pictures(at)[0]
    assert {**of_page, **plan, "look": 0} == {**of_page, "look": 0}
    assert np.array_equal(values, its_values, equal_nan=True)
    assert [float(width) for width in re.findall(r'viewBox="0 0 (\S+) ', sent)] == [*WIDTHS.values()]
    assert all(scene_in_both(scene, width) in sent for width in WIDTHS.values())


def test_it_is_sent_with_the_start_page_as_it_is_by_itself_and_with_nothing_else():
    server = Addresses(Starlette())
    server.first = "<p>first</p>"
    assert fetch(server, "/")[2].decode().count("<p>first</p></body>") == 1
    assert b"<p>first</p>" in gzip.decompress(fetch(server, "/", b"gzip")[2])
    for other in ("/attention", "/?num_heads=8", "/?present=1&step=3"):
        assert b"<p>first</p>" not in fetch(server, other)[2]
