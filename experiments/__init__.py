"""What answers the cards: every question and statement with its runs. `make answers` and the tests import it, the app never does."""
