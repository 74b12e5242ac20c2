"""The programs, by group: plain functions and the arguments to run them with."""
from . import factorisations, helmholtz, loops, stencils

GROUPS = {"helmholtz": helmholtz.CASES, "stencils": stencils.CASES, "factorisations": factorisations.CASES,
          "loops": loops.CASES}
