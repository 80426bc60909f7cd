"""Files of Keras, KerasHub and PyTorch with attention, read once, and what was found in them: examples.tsv.

Packages' files were read whole. From the examples of keras.io, the calls and what gives their sizes were copied by hand. Their
code is not here. The three of `test_code.PUBLIC` are in words of our own.
"""

import csv
from pathlib import Path

ROWS = [*csv.reader(Path(__file__).with_name("examples.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t")][1:]


def test_sixty_files_were_read_and_only_calls_as_wide_as_their_input_are_slips():
    assert len({(source, file) for source, file, _ in ROWS}) == len(ROWS) >= 60
    slips = [found for _, _, found in ROWS if found.startswith("slip")]
    assert len(slips) == 5
    assert all("key_dim=embed" in found or "key_dim=self.project_dim" in found for found in slips)
