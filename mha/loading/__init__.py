"""Attention layers from files: arrays are read, nothing in a file is ever run.

`contents.open_file` says which arrays a file holds, `layers.find_layers` which attention layers they are, `report.inspect_file`
does both. `isolated.inspect_in_subprocess` does it in a process of its own: the libraries that read files are written in C, and
a hostile file must not end the server.
"""
