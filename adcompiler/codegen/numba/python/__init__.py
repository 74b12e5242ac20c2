"""What the Python interpreter runs in the place of compiled code: random draws, text, and functions that only Python knows."""
