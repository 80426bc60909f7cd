"""Messages that no browser sends: the server stays up, says no more than it should, and others are served as before."""

import asyncio
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from components.app.stale_widget_values import ACK, ACK_CONTROLS
from lessons.claims import QUESTIONS
from tests.serving import Server
from tests.sockets import START, Visitor, stream, title, visited

NUMBERS = (-1, 0, 257, 1e9, 1e308, float("inf"), float("-inf"), float("nan"), 2.5, -0.0)


async def test_a_usual_visitor_is_served(server: Server):
    """The measure of the tests below: this client reads what a browser would show, and its moves count."""
    assert await title(server.url) == START
    assert (await visited(server.url)).heads == 4
    assert (await visited(server.url, "/", num_heads=("string_array_value", ["8"]))).heads == 8


async def test_a_move_that_comes_under_a_fragments_name_draws_the_page(server: Server):
    """A browser sends what it reports within one tick as one message: the check line asks again, the slider has been moved."""
    async with Visitor(server.url) as visitor:
        await visitor.run()
        assert (visitor.title, visitor.heads, visitor.fragment != "") == (START, 4, True)
        await visitor.run(visitor.fragment, num_heads=("string_array_value", ["8"]))
    assert visitor.heads == 8


@pytest.mark.parametrize("page", ["/", "/projections", "/attention", "/concatenation"])
async def test_a_move_that_comes_under_the_name_of_a_fragment_of_another_layout_counts(server: Server, page: str):
    """A slider that is touched asks for its next pictures, or the check line for its answer, in the tick in which it moves; 4,096
    wide there are none to come."""
    wide = {"d_model": ("string_array_value", ["4096"])}
    async with Visitor(server.url, page) as visitor:
        await visitor.run()
        for fragment, stop in zip(sorted(visitor.fragments), ("8", "16"), strict=True):
            await visitor.run(**wide)
            visitor.title = ""
            await visitor.run(fragment, num_heads=("string_array_value", [stop]), **wide)
            assert visitor.title, "the page alone draws it, and no fragment"


async def test_a_choice_that_comes_under_the_name_of_an_answer_s_fragment_counts_once_there_is_an_answer(server: Server):
    """The page polls while Keras is asked; NumPy's answer is there at once, and then nothing is awaited."""
    names = {keras: next(question.id for question in QUESTIONS if question.keras is keras) for keras in (True, False)}
    async with Visitor(server.url, f"/questions?question={names[True]}") as visitor:
        await visitor.run()
        waits = sorted(visitor.fragments)
        assert len(waits) > 1, "an answer is awaited"
        for fragment in waits:
            await visitor.run(question=("string_value", names[False]))
            visitor.title = ""
            await visitor.run(fragment, question=("string_value", names[True]))
            assert visitor.title, fragment


async def test_a_message_that_cuts_the_way_back_short_does_not_undo_it(server: Server):
    """Back, and before the page stands it is asked for more: the browser still says 8 heads, at the address of 4. Of a run
    that is cut short before its controls are drawn nobody can know what it would have changed."""
    async with Visitor(server.url, "/?num_heads=8") as visitor:
        await visitor.run()
        assert visitor.heads == 8
        visitor.query = ""
        eight = {"num_heads": ("string_array_value", ["8"])} | dict.fromkeys((ACK, ACK_CONTROLS), ("double_array_value", [0]))
        await visitor.socket.send(visitor.message(back=True, **eight))
        await visitor.drawn(ACK_CONTROLS)
        await visitor.run(**eight)
        await visitor.run(**eight)  # where the first had ended by then, the second was read as its end
    assert visitor.heads == 4


@pytest.mark.parametrize("key", ["num_heads", "d_model", "query_len", "seed"])
async def test_a_forged_number_never_reaches_the_layer(server: Server, key: str):
    async with Visitor(server.url) as visitor:
        await visitor.run()
        for value in NUMBERS:
            await visitor.run(**{key: ("double_value", value)})
            assert visitor.title
        await visitor.run(**{key: ("double_value", 4 if key != "seed" else 0)})
    assert await title(server.url) == START


@pytest.mark.parametrize("states", [
    {"num_heads": ("string_value", "eight")},
    {"num_heads": ("bytes_value", b"\xff" * 1000)},
    {"mask": ("string_array_value", ["causal", "none", "<script>"])},
    {"split": ("string_value", "__class__")},
    {"num_heads": ("string_array_value", ["3000"])},
    {"num_heads": ("int_array_value", [-5, 10**9])},
    {"cell": ("string_value", "q.9.9.9" * 200_000)},
    {"tokens": ("string_value", "word " * 200_000)},
    {"nobody": ("string_value", "x" * 1_000_000)},
    {"settings": ("json_value", '{"sizes": null}')},
])  # fmt: skip
async def test_a_value_of_another_kind_harms_nobody_else(server: Server, states: dict):
    """Its own page may refuse it; what it then says holds no text of the server's."""
    async with Visitor(server.url, "/attention") as visitor:
        await visitor.run()
        await visitor.run(**states)
    for error in visitor.errors:
        assert "Traceback" not in error
        assert "/" not in error
    assert await title(server.url) == START


@pytest.mark.parametrize("junk", [b"", b"\x00", b"\xff" * 4096, b"{}", "text", '{"type": 1}'], ids=repr)
async def test_what_is_no_message_ends_at_most_its_own_connection(server: Server, junk: bytes | str):
    async with asyncio.timeout(90), Visitor(server.url) as visitor:
        with suppress(ConnectionClosed, TimeoutError):
            await visitor.socket.send(junk)
            await visitor.run()
    assert await title(server.url) == START


async def test_a_frame_of_60_mb_ends_its_connection_and_leaves_no_memory_behind(server: Server):
    await title(server.url)
    before = server.memory_mb()
    for _ in range(3):
        async with stream(server.url) as socket:
            with suppress(ConnectionClosed):  # it may be closed before all of it is sent
                await socket.send(b"\x00" * 60_000_000)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
    assert await title(server.url) == START
    assert server.memory_mb() < before + 60


async def test_a_message_above_the_bound_on_settings_is_not_run(server: Server):
    async with Visitor(server.url) as visitor:
        await visitor.run()
        await visitor.socket.send(visitor.message(tokens=("string_value", "x" * 5_000_000)))
        await asyncio.sleep(1)
    assert await title(server.url) == START
