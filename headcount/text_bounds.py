"""Limits on the length of texts, in characters. Some fields accept longer texts, so that the page can explain the limit."""

#: A sentence for the trained network, and words for positions if numbers are random.
MAX_SENTENCE, MAX_TOKENS_TEXT = 200, 2000
#: The address of a cell to explain, and a rotary scaling.
MAX_CELL_TEXT, MAX_SCALING_TEXT = 40, 100
#: Pasted code, errors and shapes, and the field for them.
MAX_PASTED, MAX_PASTED_FIELD = 64_000, 74_000
#: A configuration, the field for it, and its name, which is what the address keeps. The longest published ones have about 100,000
#: characters, with all label names. At four bytes each, the field's characters fit one message to the server
#: (server.maxWidgetStateSize, 2 MB). A longer message ends the connection, and the browser connects and sends it again.
MAX_CONFIG_TEXT, MAX_CONFIG_FIELD, MAX_CONFIG_NAME = 256_000, 400_000, 80
#: A page's address. The longest has a visitor's own configuration.
MAX_ADDRESS = 8000
