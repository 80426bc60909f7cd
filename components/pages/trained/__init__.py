"""The page of trained heads: its choices, and a file for each of its tasks."""
