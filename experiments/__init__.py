"""What answers the cards: every card with its runs. `make answers` and the tests import it, the app never does."""
