"""Short forms that the questions share."""

FREE = {"split": "free"}
TINY = {"d_model": 8, "num_heads": 2}


def layer(d_model: int, num_heads: int, key_dim: int, value_dim: int | None = None, **more: object) -> dict:
    """The sizes of a layer, as in an address or a Config."""
    return {"d_model": d_model, "num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim or key_dim, **more}


def few(values: list[float], digits: int = 3) -> str:
    """Numbers in a row, without needless zeros."""
    return ", ".join(f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0" for value in values)
