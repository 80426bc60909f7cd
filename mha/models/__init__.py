"""Published models as sizes: what their attention holds, what moves with the heads, what it costs."""
