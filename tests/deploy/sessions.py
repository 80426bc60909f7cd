"""Visitors over a websocket, for tests that run none or many of them beside a browser."""

from benchmarks.visitor import Visitor

#: What a visitor of the start page reads.
START = "4 heads or 1: 1,088 parameters either way."


async def title(url: str, address: str = "/", **states) -> str:
    """What a new visitor reads; a visitor's page must have no error on it."""
    async with Visitor(url, address) as visitor:
        await visitor.run()
        if states:
            await visitor.run(**states)
        assert visitor.errors == []
        return visitor.title
