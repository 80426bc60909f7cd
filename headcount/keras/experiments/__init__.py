"""Table of the experiments that the worker can run with the real Keras. The app's server imports this table, but never the files
that it names.

To add an experiment, write a public function in a file of this folder, and add the function's name to the table below. The file
may import keras and tensorflow at its top. The function takes keyword arguments of plain JSON (numbers, words, lists, dicts) and
NumPy arrays, and returns a dict of such values. Arrays become float32. The argument `layer` is sent as `KerasLayer.plain()`, and
arrives as a KerasLayer. If arguments are not allowed, the function raises `headcount.keras.question.Declined` before it uses
memory. `basics.py` does so for a layer that is too large. Any other exception reaches the page as an error of Keras. If Keras is
expected to refuse, `headcount.keras.experiments.basics.attempt` turns the error into {"error": sentence}, a normal result. The
dict itself must not have the keys "error" or "declined". The app calls `KerasClient.result(question("name", argument=…))`, which
returns the dict, or None until the dict has come."""

#: By file of this folder, the experiments: names of functions in the file.
BY_FILE = {
    "basics": ("echo", "several"),
    "building": ("layer_facts", "layer_output", "call_forms", "rank_two", "dropout_calls", "axes_leak"),
}
EXPERIMENTS = {name: file for file, names in BY_FILE.items() for name in names}
