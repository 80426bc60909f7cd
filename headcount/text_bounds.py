"""Bounds on the length of texts, in characters. Fields accept longer texts than are read, so that a sentence can refuse them."""

#: A sentence that the trained network reads, and the words of the address where numbers are random.
MAX_SENTENCE, MAX_TOKENS_TEXT = 200, 2000
#: The cell to explain, and what a configuration says of rotary angles.
MAX_CELL_TEXT, MAX_SCALING_TEXT = 40, 100
#: X in an address, and in its field.
MAX_X_TEXT, MAX_X_FIELD = 2600, 20_000
#: Pasted code, errors and shapes, and their field.
MAX_PASTED, MAX_PASTED_FIELD = 64_000, 74_000
#: A configuration; the longest published ones, with all their label names, have about 100,000. At up to four bytes each, those of
#: its field fit into one message to the server (server.maxWidgetStateSize, 2 MB). A longer message ends the connection, and the
#: browser connects again and sends it again. Then its name, which is what the address keeps of it.
MAX_CONFIG_TEXT, MAX_CONFIG_FIELD, MAX_CONFIG_NAME = 256_000, 400_000, 80
#: What is kept of a page's address: the longest has a visitor's own configuration.
MAX_ADDRESS = 8000
