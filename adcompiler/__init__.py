"""adcompiler: exact gradients of ordinary Python and NumPy code, by source transformation."""
