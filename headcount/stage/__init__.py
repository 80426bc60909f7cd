"""Scenes (pictures as plain data), and the modules that place them on a page and draw them as SVG."""
