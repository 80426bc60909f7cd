"""Layers whose query heads share key/value heads."""

from mha.keras.layer import KerasLayer


def grouped(heads: int, kv_heads: int, size: int, queries: int, keys: int, widths: tuple[int, int, int], batch: int = 1,
            **more) -> KerasLayer:  # fmt: skip
    """GroupQueryAttention with heads of `size`; `widths`: of query, key and value."""
    of_query, of_key, of_value = widths
    shapes = (batch, queries, of_query), (batch, keys, of_value), (batch, keys, of_key)
    return KerasLayer(heads, size, size, *shapes, num_kv_heads=kv_heads, **more)
