"""The pages of claims and of questions."""
