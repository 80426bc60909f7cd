"""The layers that the claims about sizes compare."""


def layer(num_heads: int, key_dim: int, value_dim: int | None = None) -> dict:
    """512 wide, for sequences of 128."""
    return {"d_model": 512, "num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim or key_dim, "query_len": 128}


EIGHT, FOUR, NARROW, SQUARE, LARGE = layer(8, 64), layer(4, 128), layer(8, 64, 32), layer(64, 64), layer(8, 128, 64)
FREE = {"split": "free"}


def both(run: dict, *path: str) -> tuple:
    """One quantity of every layer of a run: `both(run, "count")`."""
    found = []
    for one in run["layers"]:
        for key in path:
            one = one[key]
        found.append(one)
    return tuple(found)
