"""The recipes that made the trained weights: Keras trains, NumPy measures. `make train` runs all of it."""
