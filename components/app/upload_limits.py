"""Limits on what visitors upload to a server (components/app/uploads.py), which an operator can set."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Limits on uploaded files: bytes and number of files for one session, and bytes for all sessions of a server together."""

    session_bytes: int = 64 << 20
    session_files: int = 16
    server_bytes: int = 256 << 20

    @classmethod
    def of_environment(cls) -> "UploadLimits":
        """Reads the limits from environment variables. Raises ValueError if a variable is not a whole number above 0."""
        session = _whole_number("HEADCOUNT_UPLOADS_SESSION_MB", 64)
        server = _whole_number("HEADCOUNT_UPLOADS_SERVER_MB", 256)
        return cls(session << 20, _whole_number("HEADCOUNT_UPLOADS_SESSION_FILES", 16), server << 20)


def _whole_number(name: str, usual: int) -> int:
    text = os.environ.get(name, "") or f"{usual}"
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{name} must be a whole number above 0, got {text!r}")
    return int(text)
