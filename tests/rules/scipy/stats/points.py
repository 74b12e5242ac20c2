"""The points at which densities are tried, and the calls of each continuous distribution."""
import numpy as np
from scipy import stats

X = np.array([0.4, 1.1, 2.3])
U = np.array([0.2, 0.45, 0.8])


def calls(shapes, x, without_shapes=(), methods=("logpdf", "pdf", "cdf")):
    """Calls of distributions with location and scale, and without; of those in `without_shapes` the distribution
    function has no rule with respect to shape parameters, which are integers there."""
    loc, scale = 0.1, 1.3
    for name, given in shapes.items():
        for method in methods:
            whole = tuple(int(s + 1) for s in given) if method in ("cdf", "sf", "logcdf", "logsf") and name in without_shapes else given
            function = getattr(getattr(stats, name), method)
            yield function, (loc + scale * x, *whole, loc, scale), {}
            yield function, (x[:, None], *whole), {}
