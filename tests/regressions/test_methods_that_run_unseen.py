"""What Python does behind an attribute or inside a library is followed, or refused where the object is active."""
import numpy as np
import pytest

import adcompiler as ad


class Text:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        self.v *= 2.0
        return "text"

    def __iter__(self):
        self.v *= 3.0
        return iter((1, 2))

    def __array__(self, dtype=None, copy=None):
        return np.array([self.v])


class Guarded:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


class Watched:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        return 3.0 * object.__getattribute__(self, name)


class Halved:
    def __get__(self, instance, owner):
        return 0.5 * instance.held

    def __set__(self, instance, value):
        instance.held = value


class WithDescriptor:
    v = Halved()

    def __init__(self, v):
        self.v = v


class Swallows:
    def __init__(self):
        self.n = 0.0

    def __enter__(self):
        self.n = self.n + 1.0

    def __exit__(self, *exception):
        return True


class Logged:
    def __init__(self):
        self.n = 0.0

    def __enter__(self):
        self.n += 1.0

    def __exit__(self, *exception):
        self.n += 1.0


SCRATCH = np.zeros(2)


def doubled_scratch():
    class Doubled:
        def __enter__(self):
            SCRATCH[:] *= 2.0

        def __exit__(self, *exception):
            return None

    return Doubled()


def in_an_f_string(x):
    text = Text(x)
    f"{text}"
    return text.v


def printed(x):
    text = Text(x)
    print(text)
    return text.v


def listed(x):
    text = Text(x)
    return sum(list(text)) * text.v


def run_over(x):
    text = Text(x)
    for k in text:
        x = x * k
    return text.v * x


def made_an_array(x):
    return np.sum(np.asarray(Text(x)))


def given_to_a_ufunc(x):
    return np.sin(Text(x)).sum()


def sets_attributes_its_way(x):
    guarded = Guarded()
    guarded.v = x
    return guarded.v


def reads_attributes_its_way(x):
    return Watched(x).v


def behind_a_descriptor(x):
    return WithDescriptor(x).v


def may_swallow(x):
    counter = Swallows()
    with counter:
        counter.n = x * counter.n
    return counter.n


def left_by_break(x):
    logged = Logged()
    for _ in range(3):
        with logged:
            logged.n = logged.n * x
            if logged.n > 1.0:
                break
    return logged.n


def inside_try(x):
    logged = Logged()
    try:
        with logged:
            logged.n = logged.n * x
            raise ValueError
    except ValueError:
        logged.n = logged.n * 2.0
    return logged.n


def context_from_a_function(x):
    SCRATCH[:] = x
    with doubled_scratch():
        SCRATCH[0] += x
    return SCRATCH.sum()




class OnlyOne(type):
    kept = {}

    def __call__(cls, *args):
        if cls not in cls.kept:
            cls.kept[cls] = super().__call__(*args)
        return cls.kept[cls]


class Single(metaclass=OnlyOne):
    def __init__(self, v):
        self.v = v


def made_by_a_metaclass(x):
    return Single(x).v + Single(2.0 * x).v


def tuple_that_grows(x):
    values = ()
    for k in range(3):
        values = values + (x ** k,)
    return sum(values)


REFUSED = [
    (in_an_f_string, "may run here unseen"), (printed, "may run here unseen"), (listed, "is run over"),
    (run_over, "run over"), (made_an_array, "holds active values"), (given_to_a_ufunc, "holds active values"),
    (sets_attributes_its_way, "__setattr__"), (reads_attributes_its_way, "__getattribute__"),
    (behind_a_descriptor, "descriptor"), (may_swallow, "swallow"), (left_by_break, "'break' out of a context"),
    (inside_try, "try"), (context_from_a_function, "SCRATCH"), (made_by_a_metaclass, "Single"), (tuple_that_grows, "changes its length"),
]


@pytest.mark.parametrize("f, reason", REFUSED, ids=lambda v: getattr(v, "__name__", None))
def test_is_refused(f, reason):
    with pytest.raises(ad.AdcompilerError, match=reason) as caught:
        ad.grad(f)(0.7)
    assert caught.value.hint and caught.value.lineno
