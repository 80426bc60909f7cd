"""What the page of the Keras layer has in the address besides the shared settings."""

#: Its parts, one at a time on the screen.
PARTS = ("variables", "shapes", "call", "masks", "axes", "groups", "code")
#: Keras's argument of the call; the shared mask (causal) is its use_causal_mask.
ATTENTION_MASKS = ("padding", "custom", "none")
MASK_CASES = ("yours", "shapes", "polarity", "causal", "empty_row", "additive")
#: Of the scripts.
LIBRARIES = ("keras", "pytorch", "numpy")
CHOICES = {"part": PARTS, "library": LIBRARIES, "attention_mask": ATTENTION_MASKS, "mask_case": MASK_CASES}
#: Least, most, and what is shown where there is none.
NUMBERS = {"batch": (1, 64, 2), "num_kv_heads": (1, 256, 2)}
#: Characters of each text.
TEXTS = {
    "input_shape": 40,
    "key_width": 8,
    "value_width": 8,
    "output_shape": 40,
    "attention_axes": 40,
    "lengths": 400,
    "mask_cells": 1200,
}


def translate(params: dict[str, list[str]]) -> dict[str, str | None]:
    """Other names under which a link may give a setting: what the address should say instead; None: this key goes.

    query_width is d_model. mask=padding and mask=custom are Keras's attention_mask here, beside use_causal_mask.
    """
    changes: dict[str, str | None] = {}
    if "query_width" in params:
        changes["query_width"] = None
        if "d_model" not in params:
            changes["d_model"] = params["query_width"][-1] if params["query_width"] else ""
    mask = params["mask"][-1] if params.get("mask") else ""
    if mask in ATTENTION_MASKS[:2]:
        changes["mask"] = None
        changes["attention_mask"] = mask
    return changes
