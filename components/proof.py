"""The stored comparison with the real Keras layer, for where there is no TensorFlow and can be none: a reader's browser.

`python -m deploy.static.prove` asks the real layer and writes it; nothing here is made up between two of its rows.
"""

import json
from functools import cache
from pathlib import Path

from mha import Config

FILE = Path(__file__).parent.parent / "assets" / "proof.json"
MISSING = (
    "There is no TensorFlow in a browser, so this is not compared live; `pip install -r requirements.txt` and "
    "`streamlit run app.py` on your own machine do it."
)


@cache
def stored() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def stored_sentence(cfg: Config) -> str:
    """Marked as stored: what Keras said of this very layer, or, where it was not asked, of how many others."""
    made = stored()
    versions = f"Keras {made['keras']} on TensorFlow {made['tensorflow']}, {made['date']}"
    row = next((row for row in made["layers"] if Config(**row["layer"]) == cfg), None)
    if row is not None:
        return (
            f"✓ Stored proof, not a live one ({versions}): for this layer the real one gave the same, output within "
            f"{row['output']:.0e}, attention within {row['weights']:.0e}, count_params() {row['count']:,}. {MISSING}"
        )
    worst = max(row["output"] for row in made["layers"])
    return (
        f"Numbers by NumPy. Stored proof, not a live one ({versions}): this layer was not asked for; "
        f"{len(made['layers'])} others agreed, output within {worst:.0e}. {MISSING}"
    )
