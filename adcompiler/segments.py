"""Marks of checkpointing in the user's program: `checkpoint` and `checkpointed`. When the program itself runs they do nothing."""

from __future__ import annotations

import functools
import types


def checkpoint(function=None, /):
    """A segment that is not taped: the adjoint restores what it reads, and runs it again.

    `with ad.checkpoint(): ...` makes a segment of a block, `@ad.checkpoint` of every call of a function. A segment must
    give the same result when it runs again: draws from NumPy's generators do, since their state is restored; what
    prints runs once; files, clocks and other effects outside are refused when the gradient is compiled.

    >>> import adcompiler as ad
    >>> @ad.checkpoint
    ... def layer(x):
    ...     return x * x + x
    >>> def f(x):
    ...     y = layer(x)
    ...     with ad.checkpoint():
    ...         y = y * y
    ...     return y
    >>> f(1.0), ad.grad(f)(1.0)
    (4.0, 12.0)
    """
    return _Block() if function is None else CheckpointedFunction(function)


def checkpointed(steps, *, snapshots=None, schedule=None, period=None, disk_snapshots=None, directory=None):
    """The iterable of a `for`, or the condition of a `while`, whose trips are checkpointed; returns `steps` itself.

    snapshots: how many states of the loop are kept in memory at a time, that before the first trip among them; None
    leaves it to the schedule. schedule:

    - "revolve": the least number of trips that are run again.
    - "two_level": a state every `period` trips, each period taped whole, or with `snapshots` reversed as "revolve" does.
      Without either, the periods are those that need least memory, by the sizes that the first trip shows: as states
      are freed on the way back, earlier periods may be longer.
    - "disk": `disk_snapshots` further states (by default as many as pay) go to files, in a new directory inside
      `directory` (by default where temporary files go), which is removed in the end.
    - "online": the number of trips need not be known.
    - None: "revolve", and "online" where the number is not known: for `while`, with `break`, and for iterables without
      a length.

    >>> import adcompiler as ad
    >>> def f(x, n):
    ...     for _ in ad.checkpointed(range(n), snapshots=3):
    ...         x = x + 0.5 * x * x
    ...     return x
    >>> f(1.0, 2), ad.grad(f)(1.0, 2)
    (2.625, 5.0)
    """
    return steps


class _Block:
    """The context of a segment; outside differentiation it does nothing."""

    __slots__ = ()

    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None


class CheckpointedFunction:
    """A function each call of which is a segment; called as it is, it is the function itself."""

    def __init__(self, primal):
        functools.update_wrapper(self, primal)
        self.primal = primal

    def __call__(self, *args, **kwargs):
        return self.primal(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        return self.__qualname__  # pickled by its name, as the function itself is

    def __repr__(self):
        return f"<checkpointed {getattr(self.primal, '__qualname__', self.primal)!s}>"


__all__ = ["CheckpointedFunction", "checkpoint", "checkpointed"]
