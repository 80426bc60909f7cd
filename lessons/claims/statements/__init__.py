"""The claims, by subject."""
