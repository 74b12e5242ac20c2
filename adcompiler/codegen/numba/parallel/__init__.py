"""`parallel=True`: which loops may run on several threads, which are worth it, and how they do."""
