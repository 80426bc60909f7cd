"""Statements from articles, by subject and not by verdict."""
