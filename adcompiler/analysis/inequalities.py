"""Systems of linear inequalities over the integers: is there certainly no solution?

A form is a dict from symbols to integer coefficients, with the constant under `ONE`; it stands for `form >= 0`.
Variables are eliminated one after the other (Fourier and Motzkin; Schrijver, Theory of Linear and Integer Programming, 1986,
section 12.2), and constants rounded down where all coefficients share a divisor. That is exact for fractions and errs
on one side for integers: True is a proof, False may only mean that none was found.
"""

from __future__ import annotations

import math

ONE = "one"  # the symbol of the constant term
LARGEST = 200  # inequalities that are followed at once


def plus(a: dict, b: dict, times: int = 1) -> dict:
    """The form a + times * b, without zero coefficients.

    >>> plus({"i": 1, ONE: 2}, {"i": 1, "j": 3}, -1)
    {'one': 2, 'j': -3}
    """
    made = dict(a)
    for symbol, c in b.items():
        c = made.get(symbol, 0) + times * c
        if c:
            made[symbol] = c
        else:
            made.pop(symbol, None)
    return made


def at_most(a: dict, b: dict) -> dict:
    """The inequality a <= b."""
    return plus(b, a, -1)


def less(a: dict, b: dict) -> dict:
    """The inequality a < b between integers."""
    return plus(at_most(a, b), {ONE: -1})


def have_no_solution(inequalities) -> bool:
    """Do these inequalities contradict one another?

    >>> i, j = {"i": 1}, {"j": 1}
    >>> have_no_solution([less(i, j), at_most(j, i)])
    True
    >>> have_no_solution([less(i, j), less(j, plus(i, {ONE: 1}))])
    True
    >>> have_no_solution([at_most(i, j), at_most(j, i)])
    False
    """
    waiting = _distinct(inequalities)
    while waiting is not None:
        symbols = {s for f in waiting for s in f if s is not ONE}
        if not symbols or len(waiting) > LARGEST:
            return False
        waiting = _eliminated(waiting, min(symbols, key=lambda s: (_growth(waiting, s), str(s))))
    return True


def _growth(system, symbol) -> int:
    above = sum(f.get(symbol, 0) > 0 for f in system)
    below = sum(f.get(symbol, 0) < 0 for f in system)
    return above * below - above - below


def _eliminated(system, symbol):
    lower = [f for f in system if f.get(symbol, 0) > 0]
    upper = [f for f in system if f.get(symbol, 0) < 0]
    rest = [f for f in system if symbol not in f]
    for f in lower:
        for g in upper:
            rest.append(plus({s: c * -g[symbol] for s, c in f.items()}, g, f[symbol]))
    return _distinct(rest)


def _distinct(system):
    """Every inequality once, in lowest terms, of parallel ones the strongest; None for a contradiction."""
    found: dict = {}
    for f in system:
        coefficients = {s: c for s, c in f.items() if s is not ONE}
        constant = f.get(ONE, 0)
        if not coefficients:
            if constant < 0:
                return None
            continue
        divisor = math.gcd(*coefficients.values())
        key = frozenset((s, c // divisor) for s, c in coefficients.items())
        bound = constant // divisor
        found[key] = min(bound, found.get(key, bound))
    for key, bound in found.items():
        opposite = found.get(frozenset((s, -c) for s, c in key))
        if opposite is not None and bound + opposite < 0:
            return None
    return [{**dict(key), ONE: bound} for key, bound in found.items()]


__all__ = ["ONE", "at_most", "have_no_solution", "less", "plus"]
