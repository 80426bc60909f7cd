"""Attention layers from files: arrays are read, nothing in a file is ever run (`report.inspect_in_subprocess`)."""
