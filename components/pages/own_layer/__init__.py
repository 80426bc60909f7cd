"""A visitor's own layer: read from a file, kept in the visitor's session and nowhere else, shown by every page of the lab."""
