"""Attention layers out of files: arrays are read, nothing in a file is ever run.

`contents.open_file` says which arrays a file holds, `find.layers` which attention layers they are; `isolated.look_apart` does
both in a process of its own, since the libraries that read files are written in C and a hostile file must not end the server.
"""
