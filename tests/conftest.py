"""The compiler verifies its own IR and code in every test."""
import os

os.environ.setdefault("ADCOMPILER_VERIFY", "1")
