"""Small language models that were trained on English novels, run by NumPy: words through trained heads."""
