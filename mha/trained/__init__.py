"""Small networks around one attention layer that were trained, run by NumPy: what heads are good for."""
