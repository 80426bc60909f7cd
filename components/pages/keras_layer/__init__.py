"""The page of the real Keras layer, one file for each of its parts."""
