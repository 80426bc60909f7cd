"""Cards with their runs. `make answers` and the tests import this package, the app never does."""
