"""The inputs on which a rule of an elementwise function is checked: every shape and type that NumPy lets pass."""
import numpy as np

from adcompiler.rules.registry import lookup


def real_inputs(low, high):
    """Arrays and numbers strictly between `low` and `high`, free of zero."""
    rng = np.random.default_rng(7)

    def draw(*shape):
        x = rng.uniform(low, high, shape)
        return np.where(np.abs(x) < 0.05 * (high - low), x + 0.1 * (high - low), x)

    grid = draw(4, 6)
    return {"matrix": draw(2, 3), "0-d": np.array(draw()), "number": float(draw()), "empty": draw(0, 3),
            "size 1": draw(1, 3, 1), "not contiguous": grid[::2, ::-2].T}


def complex_inputs():
    """Complex arrays and numbers off the axes, where branch cuts lie."""
    return {"vector": np.array([0.4 + 0.3j, -0.6 + 0.8j, -0.5 - 0.7j, 1.5 - 0.2j]), "0-d": np.array(0.3 - 1.2j),
            "number": -0.7 + 0.4j, "empty": np.zeros(0, complex)}


def float32_adjoint_dtype(function, *args):
    """The dtype of the first adjoint for float32 arrays and a float32 `y_bar`."""
    args = tuple(np.asarray(a, np.float32) for a in args)
    rule = lookup(function)
    y_bar = np.ones_like(function(*args))
    return rule.evaluate_adjoint(rule.differentiable[0], args, {}, y_bar, function=function).dtype


def adjoints(function, *args, y_bar=1.0, **kwargs):
    """Every adjoint of the rule as plain lists or numbers, in the order of the signature."""
    rule = lookup(function)
    results = y_bar if isinstance(y_bar, tuple) else (y_bar,)
    given = rule.signature.bind(*args, **kwargs).arguments
    found = [rule.evaluate_adjoint(p, args, kwargs, *results, function=function)
             for p in rule.differentiable if p in given]
    return [np.asarray(g).tolist() for g in found]
