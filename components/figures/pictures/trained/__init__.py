"""Pictures of trained heads, as plain data."""
