"""The page of figures to take away."""
