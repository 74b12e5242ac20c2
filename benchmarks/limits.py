"""The limits that the report prints beside what it measured. They are aims for one machine at rest, not tests.

Ratios are time of value and gradient over time of the function, on the NumPy backend.
"""

LIMITS = {
    "helmholtz": 1.8,                 # ratio, at n = 50
    "helmholtz flatness": 1.3,        # largest ratio over smallest, n = 8 to 50
    "stencils": 2.8,
    "factorisations": 3.5,
    "loops": 4.0,
    "call": 2.0,                      # microseconds per gradient of three scalar operations
    "reads": 1.5,                     # growth of the time per element, n = 1000 to 8000
    "compile": 0.3,                   # seconds for a function of 100 lines
    "compile linearity": 1.5,         # time per line at 400 lines over time per line at 100
    "tangent": 2.5,                   # a tangent over the function, vectorised code
    "hvp": 3.0,                       # a Hessian-vector product over a gradient
    "jacobian": 10.0,                 # the Jacobian of a 2 x 15 function over the function
    "decorate": 50.0,                 # microseconds
}
