"""What articles state, by subject: a verdict is no subject."""
