"""The page of the quiz."""
