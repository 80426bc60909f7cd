"""Pictures of the page of the real Keras layer."""
