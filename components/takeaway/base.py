"""What a link to this server begins with."""

from urllib.parse import urlsplit

#: Served from here, a link is of no use to who gets the figure: the stamp then holds only its path.
AT_HOME = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def base_of(url: str | None) -> str:
    """What a link to this server begins with; "" where nobody else can follow it."""
    parts = urlsplit(url or "")
    return "" if not parts.hostname or parts.hostname in AT_HOME else f"{parts.scheme}://{parts.netloc}"
