"""The questions that people ask, by subject."""
