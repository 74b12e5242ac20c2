"""A whole program of the corpus: a plain function, a call of it, and what is known about its gradient."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Program:
    """One call of `fn` whose gradient must be right.

    Attributes:
        fn: the function, written as a user would write it.
        args: its positional arguments, or a function that makes them where a deep copy would lose their layout.
        wrt: the arguments to differentiate, each a position of the call or a keyword.
        kwargs: keyword arguments of the call.
        outputs: None for the returned value; otherwise the name of the mutated argument (or a tuple of names, of which
            one may be `"return"`) that holds the result.
        note: the trap or the form of the language that the program is about.
        gradient: the expected gradients in the order of `wrt`, where differences cannot tell (singular points).
        raises: the user's own exception that the call ends in.
        tolerance: relative tolerance of the gradient.
        step: relative step of the differences.
        may_refuse: whether a clear refusal is as good as the right gradient: forms beyond the promised language, which
            must never give a wrong one.
        label: tells several calls of one function apart.
    """

    fn: Callable
    args: tuple | Callable[[], tuple]
    wrt: tuple[int | str, ...] = (0,)
    kwargs: dict[str, Any] = field(default_factory=dict)
    outputs: str | tuple[str, ...] | None = None
    note: str = ""
    gradient: tuple | None = None
    raises: type[BaseException] | None = None
    tolerance: float = 1e-6
    step: float = 1e-3
    may_refuse: bool = False
    label: str = ""

    @property
    def name(self) -> str:
        """Theme, function and label: `loops.triangular_nest`."""
        named = getattr(self.fn, "__name__", None) or type(getattr(self.fn, "func", self.fn)).__name__
        theme = getattr(self.fn, "__module__", type(self.fn).__module__).rsplit(".", 1)[-1]
        return f"{theme}.{named}" + (f"[{self.label}]" if self.label else "")

    @property
    def target(self):
        """`wrt` as a user gives it: one argument bare, several as a tuple."""
        return self.wrt[0] if len(self.wrt) == 1 else self.wrt

    def fresh(self) -> tuple[tuple, dict]:
        """New arguments for one call; arguments that are one object stay one object."""
        args, kwargs = copy.deepcopy((() if callable(self.args) else self.args, self.kwargs))
        return (self.args() if callable(self.args) else args), kwargs

    def run(self, args, kwargs):
        """Call the function, and pick what counts as its result."""
        returned = self.fn(*args, **kwargs)
        if self.outputs is None:
            return returned
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        if isinstance(self.outputs, str):
            return bound.arguments[self.outputs]
        return tuple(returned if name == "return" else bound.arguments[name] for name in self.outputs)

    def chosen(self, args, kwargs) -> list:
        """The arguments that `wrt` names, in its order."""
        names = list(inspect.signature(self.fn).parameters)
        return [args[w] if isinstance(w, int) else kwargs[w] if w in kwargs else args[names.index(w)] for w in self.wrt]
