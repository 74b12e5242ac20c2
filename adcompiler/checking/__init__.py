"""Checks of derivatives against what does not use them: differences, the complex step, and the function itself."""
