"""The compiler verifies its own IR and code in every test; code for Numba is kept from one run of the tests to the next."""
import os
import pathlib

os.environ.setdefault("ADCOMPILER_VERIFY", "1")
os.environ.setdefault("ADCOMPILER_CACHE_DIR", str(pathlib.Path(__file__).parent.parent / ".pytest_cache" / "adcompiler"))


def pytest_addoption(parser):
    parser.addoption("--backend", choices=("numpy", "numba"), default="numpy",
                     help="numba: also run every whole program through the Numba backend (an hour the first time)")
