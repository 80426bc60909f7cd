"""The experiments that the worker can run with the real Keras. The server imports this table, never the files it names.

To add an experiment: write a public function in a file of this folder, which may import keras and tensorflow at its top, and
name it in the table below. It takes keyword arguments of plain JSON (numbers, words, lists, dicts) and NumPy arrays, and
gives back a dict of the same; arrays come out as float32. A `layer` among them, sent as its `plain()`, it gets as a KerasLayer.
What is not allowed it refuses by `headcount.keras.question.Declined`, before it takes memory for it (too large a layer,
`basics.py` does); any other exception reaches the page as Keras's. What Keras itself is expected to refuse is a result like any
other: `headcount.keras.experiments.basics.attempt` makes it {"error": sentence}. No result has a key "error" or
"declined" of its own.

From then on `KerasClient.result(question("name", argument=…))` gives the dict, or None until it is there.
"""

#: The experiments by the file of this folder that has a function of each name.
BY_FILE = {
    "basics": ("echo", "several"),
    "building": (
        "layer_facts", "call_forms", "rank_two", "dropout_calls", "axes_view", "axes_leak", "grouped_reads", "grouped_count",
        "grouped_and_full",
    ),
    "masks": ("mask_own", "mask_shape", "mask_flat", "mask_polarity", "mask_additive", "mask_causal", "mask_empty_row"),
}  # fmt: skip
EXPERIMENTS = {name: file for file, names in BY_FILE.items() for name in names}
