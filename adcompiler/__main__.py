"""`python -m adcompiler` is the command `adcompiler`."""

import sys

from .cli import main

sys.exit(main())
