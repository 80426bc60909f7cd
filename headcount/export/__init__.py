"""Files of every figure of the app. `request`, `figures` and `style` say what is drawn, and `rendering` makes the file."""
