"""Questions that people ask, by subject."""
