"""The recipes of the trained weights: Keras trains, and NumPy measures. `make train` runs all of it."""
