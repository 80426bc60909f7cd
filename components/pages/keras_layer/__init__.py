"""What the page of the real Keras layer shows, one file a part."""
