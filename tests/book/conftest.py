"""Fixtures for the book, which is read without a browser and without TensorFlow, like the tests of the app."""

from tests.app.conftest import errors_in_full, no_browser_ahead, no_server, no_worker

__all__ = ["errors_in_full", "no_browser_ahead", "no_server", "no_worker"]
