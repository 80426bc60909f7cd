"""Training of the shipped networks in Keras, and their measurement in NumPy (`make train`)."""
