"""The experiments that the worker can run with the real Keras. The server imports this table, never the files it names.

To add an experiment, write a public function in a file of this folder and add its name to the table below. The file may import
keras and tensorflow at its top. The function takes keyword arguments of plain JSON (numbers, words, lists, dicts) and NumPy
arrays, and returns a dict of the same; arrays become float32. A `layer` among them, sent as its `plain()`, arrives as a
KerasLayer. Invalid arguments raise `headcount.keras.question.Declined`, before memory is taken for them (`basics.py` does so for
too large a layer). Any other exception reaches the page as Keras's. An expected refusal by Keras is a normal result:
`headcount.keras.experiments.basics.attempt` makes it {"error": sentence}. No result has its own key "error" or "declined".

Then `KerasClient.result(question("name", argument=…))` gives the dict, or None until it is there.
"""

#: The experiments by the file of this folder that has a function of each name.
BY_FILE = {
    "basics": ("echo", "several"),
    "building": (
        "layer_facts", "call_forms", "rank_two", "dropout_calls", "axes_leak", "grouped_reads", "grouped_count",
        "grouped_and_full",
    ),
    "masks": ("mask_own", "mask_flat", "mask_polarity", "mask_additive", "mask_causal", "mask_empty_row"),
}  # fmt: skip
EXPERIMENTS = {name: file for file, names in BY_FILE.items() for name in names}
