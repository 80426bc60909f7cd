"""The book is read as tests of the app read it: without a browser and without TensorFlow."""

from tests.app.conftest import errors_in_full, no_browser_ahead, no_server, no_worker

__all__ = ["errors_in_full", "no_browser_ahead", "no_server", "no_worker"]
