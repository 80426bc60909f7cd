"""Statements from articles, by subject: a verdict is no subject."""
