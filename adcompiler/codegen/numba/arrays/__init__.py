"""Arrays as loops over single numbers: lazy elementwise expressions, subscripts, views, and the loops that they become."""
