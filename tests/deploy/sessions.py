"""Visitors over a websocket, for tests that run none or many of them beside a browser."""

from benchmarks.visitor import Visitor

#: What a visitor of the start page reads.
START = "More heads: the paper cuts finer, Keras adds pieces."


async def title(url: str, address: str = "/", **states) -> str:
    """What a new visitor reads; a visitor's page must have no error on it."""
    return (await served(url, address, **states)).title


async def served(url: str, address: str = "/", **states) -> Visitor:
    """A visitor who has come and gone, after a first run and one with these values, where there are any."""
    async with Visitor(url, address) as visitor:
        await visitor.run()
        if states:
            await visitor.run(**states)
        assert visitor.errors == []
        return visitor
