REFUSED = set()
