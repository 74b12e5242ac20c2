"""Segments and checkpointed loops: what is put back, what runs once, what is refused."""
import pickle

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

SCRATCH = np.ones(3)


def taped(function, *args, wrt=0):
    """The gradient with nothing checkpointed."""
    with pipeline.switched(checkpoint="none"):
        return ad.grad(function, wrt=wrt)(*args)


def assert_same(function, *args, wrt=0):
    """Checkpointed, jointly and split, twice on one tape: the gradient of the full tape, bit for bit."""
    expected = taped(function, *args, wrt=wrt)
    found = [ad.grad(function, wrt=wrt)(*args)]
    _, pullback = ad.vjp(function, *args, wrt=wrt)
    found += [pullback(1.0), pullback(1.0)]
    for one in found:
        np.testing.assert_array_equal(one, expected)


def in_place_stencil(u, n):
    u = u.copy()
    for _ in ad.checkpointed(range(n), snapshots=3):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def swapped_buffers(u, n):
    u, v = u.copy(), np.zeros_like(u)
    for _ in ad.checkpointed(range(n), snapshots=2):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - u[:-2]) * u[1:-1]
        u, v = v, u
    return np.sum(u * u)


def newton(a, tolerance):
    x = a
    while ad.checkpointed(abs(x * x - a) > tolerance, snapshots=2):
        x = 0.5 * (x + a / x)
    return x


def left_early(x, n):
    s = 0.0
    for _ in ad.checkpointed(range(n), snapshots=2):
        s = s + 0.1 * x * s + np.sin(x)
        if s > 3.0:
            break
        s = s * 1.01
    return s


def nested_loops(x, n, m):
    for i in ad.checkpointed(range(n), snapshots=2):
        y = x * (i + 1)
        for j in ad.checkpointed(range(m), snapshots=2):
            y = np.sin(y) * x + j
        x = x + 0.1 * y
    return np.sum(x)


def over_rows(rows, w):
    h = np.zeros(rows.shape[1])
    for k, row in ad.checkpointed(enumerate(rows), snapshots=2):
        h = np.tanh(w * h + k * row)
    return np.sum(h)


def alias_of_the_state(x, n):
    a = x * 1.0
    b = a
    view = a[1:]
    for _ in ad.checkpointed(range(n), snapshots=2):
        b[0] = b[0] * view[0] + 0.1
        view *= 0.9 + 0.1 * a[0]
    return np.sum(a * a)


def changed_behind_the_loop(x, n):
    k = np.array([1.0, 2.0, 3.0])
    for i in ad.checkpointed(range(n), snapshots=2):
        x = x * np.sin(x) * k[i % 3]
    k[:] = 0.0
    return np.sum(x) + np.sum(k)


def state_in_containers(x, n):
    state = [x, {"sum": 0.0}]
    for k in ad.checkpointed(range(n), snapshots=2):
        state[0] = state[0] * 0.9 + 0.1 * state[0] ** 2
        state[1]["sum"] += state[0] * (k + 1)
    return state[1]["sum"] + state[0]


class Particle:
    def __init__(self, position):
        self.position, self.speed = position, 0.0

    def step(self, dt):
        self.speed -= dt * np.sin(self.position)
        self.position += dt * self.speed


def state_in_attributes(x, n):
    particle = Particle(x)
    for _ in ad.checkpointed(range(n), snapshots=2):
        particle.step(0.1)
    return particle.position * particle.speed


def blocks_in_a_loop(x, n):
    total = 0.0
    seen = np.zeros(3)
    for i in range(n):
        with ad.checkpoint():
            t = np.sin(x * i)
            seen[i % 3] += np.sum(t * t)
            t = t * seen[0]
        total = total + np.sum(t) * seen[1]
    return total


@ad.checkpoint
def layer(x, w):
    y = np.tanh(w @ x)
    with ad.checkpoint():
        z = y * y
        z = z * z
    return z + y


def layers(x, w, n):
    for _ in range(n):
        x = layer(x, w)
    return np.sum(x)


@ad.checkpoint
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def recursion(x, n):
    return power(x, n) * np.sin(x)


U, W = np.cos(np.arange(8.0)), np.cos(np.arange(9.0)).reshape(3, 3)
V = np.array([0.1, 0.25, 0.4])
CASES = [
    (in_place_stencil, U, 7), (swapped_buffers, U, 7), (newton, 3.0, 1e-9), (left_early, 0.7, 50),
    (nested_loops, V, 4, 3), (over_rows, U.reshape(4, 2), 0.7), (alias_of_the_state, V, 6),
    (changed_behind_the_loop, V, 5), (state_in_containers, 0.8, 10), (state_in_attributes, 0.7, 9),
    (blocks_in_a_loop, V, 5), (layers, V, W, 3), (recursion, 1.3, 4), (in_place_stencil, U, 0), (newton, 1.0, 1.0),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__}-{c[-1]}")
def test_gradient_is_bit_equal(case):
    assert_same(*case)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__}-{c[-1]}")
def test_outside_differentiation_nothing_happens(case):
    function, *args = case
    with pipeline.switched(checkpoint="none"):
        value, _ = ad.value_and_grad(function)(*args)
    assert function(*args) == value == ad.value_and_grad(function)(*args)[0]


@pytest.mark.parametrize("function", [in_place_stencil, state_in_containers, over_rows], ids=lambda f: f.__name__)
@pytest.mark.parametrize("memory", [None, "1 GB"])
def test_chosen_by_the_compiler(function, memory):
    args = next(c[1:] for c in CASES if c[0] is function)
    np.testing.assert_array_equal(ad.grad(function, checkpoint="auto", memory=memory)(*args), taped(function, *args))


def test_the_arrays_of_the_caller_are_left_as_they_were():
    def run(x, n):
        for i in ad.checkpointed(range(n), snapshots=2):
            SCRATCH[i % 3] = SCRATCH[i % 3] * x
            x = x + 0.1 * SCRATCH[(i + 1) % 3]
        return x

    def behind(call):
        SCRATCH[:] = 1.0
        call()
        return SCRATCH.copy()

    expected = behind(lambda: run(0.9, 5))
    assert (expected == behind(lambda: ad.grad(run)(0.9, 5))).all()
    assert (expected == behind(lambda: ad.vjp(run, 0.9, 5, wrt=0)[1](1.0))).all()


def test_an_exception_in_a_replay_leaves_memory_as_it_was():
    class Limit:
        left = 100

    def counted(x):
        Limit.left -= 1
        if Limit.left < 0:
            raise KeyError("enough")
        return np.sin(x)

    ad.register_vjp(counted, lambda y_bar, y, x: (y_bar * np.cos(x),))

    def run(u, n):
        for _ in ad.checkpointed(range(n), snapshots=2):
            u *= counted(u) + 1.0
        return np.sum(u * u)

    f = ad.differentiable(run)
    u = np.array([0.1, 0.2])
    _, tape = f.forward(u, 6)
    before = u.copy()
    expected = f.adjoint(tape, retain=True)
    Limit.left = 3
    with pytest.raises(KeyError):
        f.adjoint(tape, retain=True)
    np.testing.assert_array_equal(u, before)
    Limit.left = 100
    np.testing.assert_array_equal(f.adjoint(tape), expected)


def drawn_globally(x, n):
    for _ in ad.checkpointed(range(n), snapshots=2):
        x = np.sin(x) * np.random.standard_normal() + x
    return x


def drawn_from_an_argument(x, rng, n):
    for _ in ad.checkpointed(range(n), snapshots=2):
        x = np.sin(x) * rng.normal(0.0, 1.0) + x
    return x


def test_the_global_generator_is_where_a_run_without_checkpointing_leaves_it():
    np.random.seed(3)
    expected, after = taped(drawn_globally, 0.7, 6), np.random.random()
    np.random.seed(3)
    assert ad.grad(drawn_globally)(0.7, 6) == expected
    assert np.random.random() == after


def test_a_generator_that_is_passed_in():
    expected = taped(drawn_from_an_argument, 0.7, np.random.default_rng(5), 6)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    assert ad.grad(drawn_from_an_argument)(0.7, rng, 6) == expected
    drawn_from_an_argument(0.7, other, 6)
    assert rng.random() == other.random()


def test_printing_happens_once(capsys):
    def run(x, n):
        for t in ad.checkpointed(range(n), snapshots=1):
            x = np.sin(x)
            print("step", t)
        with ad.checkpoint():
            y = x * x
            print("done")
            y = y * y
        return y

    ad.grad(run)(0.7, 3)
    assert capsys.readouterr().out == "step 0\nstep 1\nstep 2\ndone\n"


def test_what_cannot_run_again_is_refused(tmp_path):
    def run(x, n):
        for _ in ad.checkpointed(range(n), snapshots=2):
            x = np.sin(x)
            log = open(tmp_path / "log", "a")
            log.write("step")
        return x

    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(run)(0.7, 3)
    assert "run again" in caught.value.reason and caught.value.lineno
    assert "checkpoint" in caught.value.hint


def test_an_iterator_that_is_taken_apart_is_refused():
    def run(x):
        order, s = iter([0, 2, 1]), x[0]
        for _ in ad.checkpointed(range(3), snapshots=1):
            s = s * x[next(order)] + s
        return s

    with pytest.raises(ad.UnsupportedSyntaxError, match="'next' does is not known, and this is run again") as caught:
        ad.grad(run)(np.ones(3))
    assert "in front of the checkpointed part" in caught.value.hint


def test_the_compiler_does_not_choose_what_cannot_run_again(tmp_path):
    def run(x, n):
        for _ in range(n):
            x = np.sin(x)
            log = open(tmp_path / "log", "a")
            log.write("step")
            log.close()
        return x

    assert ad.grad(run, checkpoint="auto")(0.7, 3) == ad.grad(run)(0.7, 3)


def unknown_schedule(x):
    for _ in ad.checkpointed(range(3), schedule="best"):
        x = np.sin(x)
    return x


def unknown_option(x):
    for _ in ad.checkpointed(range(3), slots=3):
        x = np.sin(x)
    return x


def active_option(x):
    for _ in ad.checkpointed(range(3), snapshots=x):
        x = np.sin(x)
    return x


def a_loop_over_a_tuple(x):
    for v in ad.checkpointed((x, 2.0, 1), snapshots=3):
        x = np.sin(x) * v
    return x


@pytest.mark.parametrize("function", [unknown_schedule, unknown_option, active_option, a_loop_over_a_tuple],
                         ids=lambda f: f.__name__)
def test_options_that_are_not_understood(function):
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(function)(0.7)
    assert caught.value.lineno and caught.value.hint


@pytest.mark.parametrize("options", [{"checkpoint": "all"}, {"memory": "many"}, {"checkpoint": "auto", "memory": -1}])
def test_values_of_options(options):
    with pytest.raises(ValueError, match="checkpoint=|memory="):
        ad.grad(np.sin, **options)


def test_a_tape_tells_what_checkpointing_costs():
    function = ad.differentiable(in_place_stencil)
    _, tape = function.forward(np.linspace(0.0, 1.0, 1000), 60)
    with pipeline.switched(checkpoint="none"):
        _, full = function.forward(np.linspace(0.0, 1.0, 1000), 60)
        everything = full.nbytes
    assert 3 * 8000 <= tape.nbytes <= 8 * 8000 < everything / 5
    function.adjoint(tape)
    assert tape.recomputed_steps > 60
    assert 3 * 8000 <= tape.peak_nbytes <= 12 * 8000


def test_a_checkpointed_function_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(layer)) is layer


def test_a_function_is_marked_where_it_is_called():
    def run(x):
        return ad.checkpoint(np.sin)(x) * x

    assert ad.grad(run)(0.7) == ad.grad(lambda x: np.sin(x) * x)(0.7)
    assert ad.grad(lambda x: ad.checkpoint(lambda v: v * v)(x))(0.7) == 1.4


def test_an_object_made_anew_is_refused():
    def run(x, n):
        rows = [np.zeros(2)]
        for _ in ad.checkpointed(range(n), snapshots=2):
            new = rows[-1] * 1.0
            new[0] = x * np.sin(new[1] + x)
            rows.append(new)
        return np.sum(rows[-1])

    with pytest.raises(ad.UnsupportedSyntaxError, match="put into a container"):
        ad.grad(run)(0.7, 3)


def joined_on_the_way(x, n):
    u, v = x.copy(), 2.0 * x
    for t in ad.checkpointed(range(n), snapshots=2):
        v[0] += 0.1 * u[1]
        if t == 2:
            v = u
        u *= 1.05
    return np.sum(u * v)


def parted_on_the_way(x, n):
    u = x.copy()
    v, d = u[1:], {"u": u, "w": x * 2.0}
    for t in ad.checkpointed(range(n), snapshots=2):
        v[0] += 0.1 * d["u"][2]
        d["w"][:] = d["w"] * u
        u *= 1.05
    return np.sum(v * d["w"][1:])


def test_names_of_one_array():
    """Put back in one piece; where the loop makes them names of one array, or others, it is refused."""
    assert_same(parted_on_the_way, V, 7)
    with pytest.raises(ad.UnsupportedSyntaxError, match=r"makes 'v' anew.*(?s:.*)store into it \(v\[:\] = ...\)"):
        ad.grad(joined_on_the_way)(V, 7)


def test_a_gradient_of_a_gradient_is_right():
    def run(x, n):
        for _ in ad.checkpointed(range(n), snapshots=2):
            x = np.sin(x) * x
        return x

    with pipeline.switched(checkpoint="none"):
        expected = ad.grad(ad.grad(run))(0.7, 4)
    assert ad.grad(ad.grad(run))(0.7, 4) == pytest.approx(expected, rel=1e-14)


def kinds_of_saved_values(x, n):
    u = np.zeros(x.shape)
    u[1:] = x[1:]
    y = np.exp(u * u)
    for _ in range(n):
        x = 2.0 * np.sin(x) * x
        u[1:-1] += 0.1 * u[2:] * u[1:-1]
    with ad.checkpoint():
        u *= np.sin(u)
        u[0] = u[1] * u[2]
    for _ in ad.checkpointed(range(n), snapshots=2):
        x = 2.0 * np.sin(x) * x
        u[1:-1] += 0.1 * u[2:] * u[1:-1]
    return np.sum(x * y * u)


@pytest.mark.parametrize(("tape_dtype", "error"), [("float32", 2e-6), ("bfloat16", 0.2), ("float16", 0.02)])
def test_a_tape_in_fewer_bits_loses_digits_and_no_more(tape_dtype, error):
    x = np.linspace(0.3, 0.9, 300)
    expected = ad.grad(kinds_of_saved_values)(x, 7)
    function = ad.differentiable(kinds_of_saved_values, tape_dtype=tape_dtype)
    _, tape = function.forward(x, 7)
    _, full = ad.differentiable(kinds_of_saved_values).forward(x, 7)
    assert tape.nbytes < 0.8 * full.nbytes
    for found in (function.grad(x, 7), function.adjoint(tape, retain=True), function.adjoint(tape)):
        assert 0.0 < np.max(np.abs(found - expected)) < error * np.max(np.abs(expected))


def test_a_format_that_is_none():
    with pytest.raises(ValueError, match="tape_dtype='float64'"):
        ad.grad(np.sin, tape_dtype="float64")


# -- memory ------------------------------------------------------------------------------------------------------------
def straight(x):
    for k in (1.0, 2.0, 3.0, 4.0):  # written out: straight-line code
        a = np.sin(k * x)
        b = a * x
        c = np.exp(-b * b)
        d = c * a
        e = np.cos(d) * c
        x = e * d
    return np.sum(x * x)


def straight_in_segments(x):
    for k in (1.0, 2.0, 3.0, 4.0):
        with ad.checkpoint():
            a = np.sin(k * x)
            b = a * x
            c = np.exp(-b * b)
            d = c * a
            e = np.cos(d) * c
            x = e * d
    return np.sum(x * x)


def swept(f):
    def both(x):
        _, tape = f.forward(x)
        return f.adjoint(tape)

    return both


@pytest.mark.parametrize("form", ["joint", "split"])
def test_memory_behind_a_segment_is_released(form):
    import tracemalloc

    x = np.linspace(0.1, 0.9, 20_000)

    def peak(f):
        f(x)
        tracemalloc.start()
        found = f(x)
        most = tracemalloc.get_traced_memory()[1] / x.nbytes
        tracemalloc.stop()
        return found, most

    made = ad.grad if form == "joint" else lambda f: swept(ad.differentiable(f))
    (plain, all_of_it), (found, kept) = peak(made(straight)), peak(made(straight_in_segments))
    assert np.array_equal(plain, found)
    assert kept < 0.55 * all_of_it


def test_what_a_function_reads_later_is_not_released():
    def f(x):
        with ad.checkpoint():
            c = np.sin(x)
            scale = lambda v: v * c  # noqa: E731
            y = scale(x)
        return np.sum(scale(y) * scale(x))

    x = np.linspace(0.1, 0.9, 5)
    np.testing.assert_allclose(ad.grad(f)(x), ad.grad(lambda x: np.sum((x * np.sin(x) ** 2) * (x * np.sin(x))))(x))


# -- functions that are defined inside ---------------------------------------------------------------------------------
def marked_inside(x):
    scale = np.sum(x)

    @ad.checkpoint
    def layer(y, k=2.0):
        z = np.sin(y) * scale
        return z * y * k

    for _ in range(3):
        x = layer(x, k=0.5) + layer(x)
    square = ad.checkpoint(lambda v: v * v)
    return np.sum(square(x))


def unmarked_inside(x):
    scale = np.sum(x)

    def layer(y, k=2.0):
        z = np.sin(y) * scale
        return z * y * k

    for _ in range(3):
        x = layer(x, k=0.5) + layer(x)
    return np.sum(x * x)


def test_functions_defined_inside_are_segments():
    x = np.linspace(0.1, 0.3, 4)
    assert np.array_equal(ad.grad(marked_inside)(x), ad.grad(unmarked_inside)(x))
    sines = [ad.differentiable(f).source("adjoint", x).count(" np.sin(") for f in (marked_inside, unmarked_inside)]
    assert sines[0] > sines[1]  # the segments run again
    np.testing.assert_allclose(ad.hvp(marked_inside)(x, x), ad.hvp(unmarked_inside)(x, x), rtol=1e-12)


def test_a_function_that_is_not_known_when_compiling():
    def f(x):
        return np.sum(ad.checkpoint(x)(x))

    with pytest.raises(ad.UnsupportedSyntaxError, match="which function 'checkpoint' makes a segment of"):
        ad.grad(f)(np.ones(2))
