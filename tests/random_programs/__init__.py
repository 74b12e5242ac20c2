"""Random programs: a generator of numerical functions, an oracle for their gradients, and the check itself."""
