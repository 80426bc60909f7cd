"""The page about what each array of the parameters does."""
