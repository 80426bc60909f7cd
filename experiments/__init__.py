"""Answers of the cards: every card with its runs. `make answers` and the tests import this package, the app never does."""
