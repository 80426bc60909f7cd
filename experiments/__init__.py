"""The cards of questions, and the runs that give their numbers. `make answers` and the tests import them, the app never does."""
