"""Lists, dicts and objects: their elements are variables, or lists of one type; and the adjoints of them."""
