"""Checkpointed loops of whole programs: schedules, snapshots on disk and their faults, sizes, and what they cost."""

import gc
import os

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.checkpointing import extra_steps, parse_memory, revolve, smallest_budget
from adcompiler.runtime.checkpointed import BOOKKEEPING, CheckpointedLoop

X = np.linspace(0.1, 0.9, 50)


def rebound(x, n):
    for _ in range(n):
        x = np.sin(x) + 0.5 * x
    return np.sum(x * x)


def rebound_disk(x, n, m, d, directory):
    for _ in ad.checkpointed(range(n), snapshots=m, schedule="disk", disk_snapshots=d, directory=directory):
        x = np.sin(x) + 0.5 * x
    return np.sum(x * x)


def in_place(x, n):
    u, total = x.copy(), 0.0
    for t in range(n):
        u[1:] += 0.1 * np.sin(u[:-1])
        v = u[::2]
        v *= 1.01
        total += u[t % 50] * u[-1]
    return total + np.sum(u)


def in_place_disk(x, n, m, d, directory):
    u, total = x.copy(), 0.0
    for t in ad.checkpointed(range(n), snapshots=m, schedule="disk", disk_snapshots=d, directory=directory):
        u[1:] += 0.1 * np.sin(u[:-1])
        v = u[::2]
        v *= 1.01
        total += u[t % 50] * u[-1]
    return total + np.sum(u)


def buffers(x, n):
    u, w = x.copy(), np.zeros_like(x)
    for _ in range(n):
        w[1:-1] = u[1:-1] + 0.2 * (u[:-2] - 2 * u[1:-1] + u[2:]) + 0.1 * np.sin(u[1:-1])
        u, w = w, u
    return np.sum(u * u) + np.sum(w)


def buffers_disk(x, n, m, d, directory):
    u, w = x.copy(), np.zeros_like(x)
    for _ in ad.checkpointed(range(n), snapshots=m, schedule="disk", disk_snapshots=d, directory=directory):
        w[1:-1] = u[1:-1] + 0.2 * (u[:-2] - 2 * u[1:-1] + u[2:]) + 0.1 * np.sin(u[1:-1])
        u, w = w, u
    return np.sum(u * u) + np.sum(w)


def container(x, n):
    rows = [x.copy(), 2.0 * x]
    for t in range(n):
        rows[t % 2] = np.sin(rows[0]) * rows[1] + rows[t % 2]
    return np.sum(rows[0]) + np.sum(rows[1] * x)


def container_disk(x, n, m, d, directory):
    rows = [x.copy(), 2.0 * x]
    for t in ad.checkpointed(range(n), snapshots=m, schedule="disk", disk_snapshots=d, directory=directory):
        rows[t % 2] = np.sin(rows[0]) * rows[1] + rows[t % 2]
    return np.sum(rows[0]) + np.sum(rows[1] * x)


PAIRS = [
    (rebound, rebound_disk),
    (in_place, in_place_disk),
    (buffers, buffers_disk),
    (container, container_disk),
]


@pytest.mark.parametrize("plain, on_disk", PAIRS, ids=[p.__name__ for p, _ in PAIRS])
@pytest.mark.parametrize("n, m, d", [(0, 1, 1), (1, 1, 1), (2, 1, 1), (7, 1, 2), (30, 1, 3), (30, 0, 4), (30, 2, None)])
def test_gradients_by_disk_are_bit_equal(plain, on_disk, n, m, d, tmp_path):
    expected = ad.value_and_grad(plain)(X, n)
    value, gradient = ad.value_and_grad(on_disk)(X, n, m, d, tmp_path)
    assert value == expected[0] and gradient.tobytes() == expected[1].tobytes()
    _, pullback = ad.vjp(on_disk, X, n, m, d, tmp_path, wrt=0)
    for _ in range(2):
        assert pullback(1.0).tobytes() == expected[1].tobytes()
    del pullback
    gc.collect()
    assert os.listdir(tmp_path) == []


def files(directory):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names)


@pytest.fixture
def on_disk(tmp_path):
    """A function whose tape has snapshots on disk; the tape, and the gradient."""
    f = ad.differentiable(rebound_disk)
    _, tape = f.forward(X, 30, 1, 3, tmp_path)
    assert len(files(tmp_path)) == 3
    return f, tape, f.grad(X, 30, 1, 3, tmp_path)


def test_a_tape_holds_its_files_until_it_is_freed(on_disk, tmp_path):
    f, tape, gradient = on_disk
    assert np.array_equal(f.adjoint(tape, retain=True), gradient)
    gc.collect()
    assert len(files(tmp_path)) == 3
    assert np.array_equal(f.adjoint(tape), gradient)
    gc.collect()
    assert os.listdir(tmp_path) == []


def change(path):
    content = bytearray(open(path, "rb").read())
    content[-50] ^= 1
    open(path, "wb").write(content)


@pytest.mark.parametrize("damage", [os.remove, change, lambda path: os.truncate(path, 30)])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_damaged_snapshot_is_an_error_and_no_gradient(on_disk, damage, which, tmp_path):
    f, tape, _ = on_disk
    damage(files(tmp_path)[which])
    with pytest.raises(ad.SnapshotError, match="the state before step"):
        f.adjoint(tape)
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(ad.SnapshotError, match="no directory for snapshots could be made in"):
        ad.grad(rebound_disk)(X, 30, 1, 3, tmp_path / "missing")


def fails_late(x, n, directory):
    for t in ad.checkpointed(range(n), snapshots=1, schedule="disk", disk_snapshots=3, directory=directory):
        x = np.sin(x)
        if t == n - 2:
            raise ValueError("late")
    return np.sum(x)


def test_files_go_after_an_error_of_the_program(tmp_path):
    with pytest.raises(ValueError, match="late"):
        ad.grad(fails_late)(X, 30, tmp_path)
    gc.collect()
    assert os.listdir(tmp_path) == []


# -- sizes -----------------------------------------------------------------------------------------------------------


def loops_of(monkeypatch):
    """The loops that are made from now on."""
    made = []
    init = CheckpointedLoop.__init__

    def recorded(self, *args, **kwargs):
        init(self, *args, **kwargs)
        made.append(self)

    monkeypatch.setattr(CheckpointedLoop, "__init__", recorded)
    return made


def by_revolve(x, n):
    for _ in ad.checkpointed(range(n), snapshots=3):
        x = np.sin(x) + 0.5 * x
    return np.sum(x * x)


def by_two_levels(x, n):
    for _ in ad.checkpointed(range(n), schedule="two_level"):
        x = np.sin(x) + 0.5 * x
    return np.sum(x * x)


def test_revolve_runs_and_keeps_what_it_promises(monkeypatch):
    made = loops_of(monkeypatch)
    expected = ad.grad(rebound)(X, 40)
    assert np.array_equal(ad.grad(by_revolve)(X, 40), expected)
    (loop,) = made
    assert loop.stats.recomputed_steps == extra_steps(40, 3)
    assert 4 * X.nbytes <= loop.stats.peak_nbytes <= 5 * X.nbytes


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 400])
def test_two_levels_take_their_periods_from_the_sizes_of_the_first_trip(n, monkeypatch):
    made = loops_of(monkeypatch)
    expected = ad.grad(rebound)(X, n)
    assert np.array_equal(ad.grad(by_two_levels)(X, n), expected)
    (loop,) = made
    assert loop.stats.recomputed_steps <= n
    least = smallest_budget(n, X.nbytes + BOOKKEEPING, X.nbytes, repetitions=1)
    assert loop.stats.peak_nbytes <= least or n == 1
    assert least <= 45 * X.nbytes


def test_the_first_trip_runs_once():
    count = []

    def program(x, n):
        for _ in ad.checkpointed(range(n), schedule="two_level"):
            x = np.sin(x)
        return np.sum(x)

    def counted(x):
        count.append(1)
        return np.sin(x)

    ad.register_vjp(counted, lambda y_bar, y, x: (y_bar * np.cos(x),))

    def counting(x, n):
        for _ in ad.checkpointed(range(n), schedule="two_level"):
            x = counted(x)
        return np.sum(x)

    assert np.array_equal(ad.grad(counting)(X, 25), ad.grad(program)(X, 25))
    assert 25 < len(count) <= 50


def nested(x, n, m):
    for _ in ad.checkpointed(range(n), snapshots=2):
        for _ in ad.checkpointed(range(m), snapshots=3):
            x = np.sin(x) + 0.5 * x
    return np.sum(x * x)


def test_nested_loops_count_what_is_inside(monkeypatch):
    made = loops_of(monkeypatch)
    assert np.array_equal(ad.grad(nested)(X, 6, 8), ad.grad(rebound)(X, 48))
    outer = made[0]
    assert outer.stats.recomputed_steps == extra_steps(6, 2) + 6 * extra_steps(8, 3)
    assert 4 * X.nbytes <= outer.stats.peak_nbytes <= 9 * X.nbytes


def automatic(x, n, memory, make=CheckpointedLoop):
    """What generated code does with a loop that the compiler marked, written down by hand."""
    tape = []
    steps = make(range(n), [tape], schedule="auto", memory=memory)
    for action, trips in steps.forward():
        if action == "snapshot":
            steps.save((x,))
        else:
            for _ in trips:
                if action == "tape":
                    tape.append(x)
                x = np.sin(x) + 0.5 * x
    bar = 2.0 * x
    for action, trips in steps.reverse():
        if action == "restore":
            (x,) = steps.load()
        elif action == "snapshot":
            steps.save((x,))
        elif action in ("advance", "tape"):
            for _ in trips:
                if action == "tape":
                    tape.append(x)
                x = np.sin(x) + 0.5 * x
        else:
            for _ in reversed(trips):
                bar = bar * (np.cos(tape.pop()) + 0.5)
    return steps, bar


@pytest.mark.parametrize("memory", [None, 1400, 3000, 10_000, 100_000, 10**6])
@pytest.mark.parametrize("n", [0, 1, 2, 50, 300])
def test_budgets(memory, n):
    steps, bar = automatic(X, n, memory)
    _, expected = automatic(X, n, 10**9)
    assert np.array_equal(bar, expected)
    peak = steps.stats.peak_nbytes
    if memory is None:
        assert peak <= smallest_budget(n, X.nbytes + BOOKKEEPING, X.nbytes, repetitions=1) or n <= 1
        assert steps.stats.recomputed_steps <= n
    else:
        assert peak <= memory
    if memory == 10**6:
        assert steps.stats.recomputed_steps == 0


def test_a_budget_that_cannot_be_met():
    least = smallest_budget(50, X.nbytes + BOOKKEEPING, X.nbytes)
    with pytest.raises(ad.MemoryBudgetError, match=f"the least budget that works is {least} bytes"):
        automatic(X, 50, least - 1)
    automatic(X, 50, least)


# -- budgets of whole programs -----------------------------------------------------------------------------------------


def two_loops(x, n):
    for _ in range(n):
        x = np.sin(x) + 0.5 * x
    y = x * x
    for _ in range(n):
        y = np.cos(y) * x
    return np.sum(y)


def loop_in_loop(x, n):
    for _ in range(n):
        for _ in range(n):
            x = np.sin(x) + 0.5 * x
    return np.sum(x)


def until(x, n):
    t = 0
    while t < n:
        x = np.sin(x) + 0.5 * x
        t += 1
    return np.sum(x)


def broken_off(x, n):
    for t in range(10**9):
        if t == n:
            break
        x = np.sin(x) + 0.5 * x
    return np.sum(x)


@pytest.mark.parametrize("function, n", [(two_loops, 100), (loop_in_loop, 20), (until, 200), (broken_off, 200)])
@pytest.mark.parametrize("memory", ["20 kB", "50 kB", "1 MB", None])
def test_programs_keep_to_their_budget(function, n, memory, monkeypatch):
    made = loops_of(monkeypatch)
    options = {} if memory is None else {"memory": memory}
    gradient = ad.grad(function, checkpoint="auto", **options)(X, n)
    assert gradient.tobytes() == ad.grad(function)(X, n).tobytes()
    if memory is not None:
        outer = made[:2] if function is two_loops else made[:1]
        assert made and sum(loop.stats.peak_nbytes for loop in outer) <= parse_memory(memory)


@pytest.mark.parametrize("of, marked", [p for p in PAIRS if p[0] is not container], ids=lambda f: f.__name__)
def test_states_in_fewer_bits(of, marked, monkeypatch):
    def kept(**options):
        made = loops_of(monkeypatch)
        f = ad.differentiable(marked, **options)
        gradient = f.grad(X, 60, 5, 0, None)
        return gradient, max(loop.stats.peak_nbytes for loop in made)

    (exact, whole), (rounded, half) = kept(), kept(tape_dtype="float32")
    assert np.array_equal(exact, ad.grad(of)(X, 60))
    assert 0.0 < np.max(np.abs(rounded - exact)) < 1e-5 * np.max(np.abs(exact))
    assert half < 0.8 * whole


def in_helpers(x, n):
    def stage(u, m):
        for _ in range(m):
            u = np.sin(u) + 0.5 * u
        return u

    return np.sum(stage(x, n) * stage(2.0 * x, n // 2))


def outer_needs_more(x, n):
    for _ in range(n):
        u = x
        for _ in range(3):
            u = np.sin(u) * u
        x = np.sin(x) * x * u * np.cos(u)
    return np.sum(x)


def until_twice(x, n):
    t = 0
    while t < n:
        x = np.sin(x) + 0.5 * x
        t += 1
    while t < 2 * n:
        x = np.sin(x) * np.cos(x) + 0.5 * x
        t += 1
    return np.sum(x)


@pytest.mark.parametrize(
    "function", [rebound, two_loops, until, loop_in_loop, in_helpers, outer_needs_more, until_twice], ids=lambda f: f.__name__
)
def test_the_least_budget_that_works_is_named(function):
    """It works, and one byte less does not; what is named does not depend on how much too little there was."""
    expected = ad.grad(function)(X, 12)
    named = set()
    for budget in (100, 1000):
        with pytest.raises(ad.MemoryBudgetError, match=r"the least budget that works is \d+ bytes$") as found:
            ad.grad(function, memory=budget)(X, 12)
        named.add(int(found.value.hint.split()[-2]))
    (least,) = named
    assert np.array_equal(ad.grad(function, memory=least)(X, 12), expected)
    assert np.array_equal(ad.vjp(ad.differentiable(function, memory=least), X, 12, wrt=0)[1](), expected)
    with pytest.raises(ad.MemoryBudgetError, match=f"the least budget that works is {least} bytes"):
        ad.vjp(ad.differentiable(function, memory=least - 1), X, 12, wrt=0)[1]()


def test_a_program_that_must_not_run_again_names_what_one_loop_needs(capsys):
    def printing(x):
        print("once")
        return two_loops(x, 12)

    with pytest.raises(ad.MemoryBudgetError, match="for this loop the least budget that works is"):
        ad.grad(printing, memory=100)(X)
    assert capsys.readouterr().out == "once\n"


def test_the_peak_of_a_tape_is_known_when_it_is_freed():
    def segments(x):
        for _ in range(20):
            with ad.checkpoint():
                x = np.sin(x) * np.cos(x)
        return np.sum(x)

    def plain(x):
        for _ in range(20):
            x = np.sin(x) * np.cos(x)
        return np.sum(x)

    peaks = []
    for f in map(ad.differentiable, (segments, plain)):
        _, tape = f.forward(X)
        held = tape.nbytes
        f.adjoint(tape)
        assert tape.is_freed and tape.nbytes == 0 and tape.peak_nbytes == held
        peaks.append(held)
    assert peaks[0] < peaks[1]


def test_a_report_tells_what_a_loop_keeps():
    def f(x, n):
        for _ in ad.checkpointed(range(n), snapshots=4):
            y = np.sin(x)
            x = x + 0.5 * y * y
        return np.sum(x)

    made = ad.differentiable(f)
    (loop,) = made.report(X, 30).loops
    assert (loop.trips, loop.snapshots, loop.on_disk, loop.taped) == (30, 4, 0, 1)
    assert loop.snapshot_nbytes == 4 * X.nbytes
    _, tape = made.forward(X, 30)
    made.adjoint(tape)
    assert loop.recomputed == tape.recomputed_steps == extra_steps(30, 4) + 29 - sum(
        a.stop - a.start for a in revolve(30, 4).forward() if type(a).__name__ == "Advance"
    )
    assert {row.name: row.nbytes for row in loop.saved}["y"] == X.nbytes
    text = str(made.report(X, 30))
    assert "30 trips; 4 states in memory, 1,600 bytes" in text and "on the tape of one trip" in text
    (unknown,) = made.report(types="x=float64[:], n=int").loops
    assert unknown.trips is None and unknown.saved


class Trouble(Exception):
    """Raised by the third thing that a replay does."""


def test_an_exception_in_the_middle_of_a_replay():
    """Memory and generators are as they were in front of the sweep, and a tape that was retained can be used again."""
    calls, limit = [0], [10**9]

    def troubled(v):
        calls[0] += 1
        if calls[0] > limit[0]:
            raise Trouble
        return np.sin(v)

    ad.register_vjp(troubled, lambda y_bar, y, v: (np.cos(v) * y_bar,))
    u, rng = np.linspace(0.2, 0.8, 5), np.random.default_rng(3)

    def f(x, u, rng, n):
        for _ in ad.checkpointed(range(n), snapshots=2):
            u *= 1.0 + 0.1 * troubled(x)
            x = x + 0.1 * u * rng.standard_normal(5)
        return np.sum(x * u)

    made = ad.differentiable(f)
    _, tape = made.forward(X[:5], u, rng, 9)
    seen, state = u.copy(), rng.bit_generator.state
    expected = made.adjoint(tape, retain=True)
    assert np.array_equal(u, seen) and rng.bit_generator.state == state
    for k in range(3):
        calls[0], limit[0] = 0, k
        with pytest.raises(Trouble):
            made.adjoint(tape, retain=True)
        assert np.array_equal(u, seen) and rng.bit_generator.state == state
    limit[0] = 10**9
    assert np.array_equal(made.adjoint(tape), expected)
    assert np.array_equal(u, seen) and rng.bit_generator.state == state


def test_a_disk_that_fails_in_the_middle_of_a_replay(tmp_path, monkeypatch):
    """A disk that goes away is an error; what was retained gives the right gradient once it is there again."""
    from adcompiler.checkpointing import SnapshotFile

    made = ad.differentiable(in_place_disk)
    _, tape = made.forward(X, 30, 2, 3, str(tmp_path))
    expected = made.adjoint(tape, retain=True)
    read, reads = SnapshotFile.read, [0]

    def gone(self):
        reads[0] += 1
        if reads[0] > 1:
            raise ad.SnapshotError("the disk is gone")
        return read(self)

    monkeypatch.setattr(SnapshotFile, "read", gone)
    with pytest.raises(ad.SnapshotError, match="the disk is gone"):
        made.adjoint(tape, retain=True)
    monkeypatch.setattr(SnapshotFile, "read", read)
    assert np.array_equal(made.adjoint(tape), expected)
    assert np.array_equal(expected, ad.grad(in_place)(X, 30))
    del tape
    gc.collect()
    assert not os.listdir(tmp_path)


def with_options(x, snapshots=None, period=None):
    for _ in ad.checkpointed(range(6), schedule="two_level", snapshots=snapshots, period=period):
        x = np.sin(x)
    return x


@pytest.mark.parametrize(("options", "message"), [((1.5,), "snapshots=1.5"), (("3",), "snapshots='3'"), ((2, 2.5), "period=2.5")])
def test_an_option_of_the_wrong_kind_is_named(options, message):
    with pytest.raises(TypeError, match=f"^{message}: this must be an int"):
        ad.grad(with_options)(0.5, *options)


def unknown_schedule(x):
    for _ in ad.checkpointed(range(6), schedule="binomial"):
        x = np.sin(x)
    return x


def period_of_revolve(x):
    for _ in ad.checkpointed(range(6), snapshots=2, period=3):
        x = np.sin(x)
    return x


def directory_of_two_levels(x):
    for _ in ad.checkpointed(range(6), schedule="two_level", directory="/tmp"):
        x = np.sin(x)
    return x


OPTIONS = {"snapshots": 2}


def options_from_a_variable(x):
    for _ in ad.checkpointed(range(6), **OPTIONS):
        x = np.sin(x)
    return x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (options_from_a_variable, "the arguments of 'checkpointed' are spread from a variable"),
        (unknown_schedule, "there is no schedule 'binomial'"),
        (period_of_revolve, r"the schedule 'revolve' \(the default\) has no option 'period'"),
        (directory_of_two_levels, "the schedule 'two_level' has no option 'directory'"),
    ],
)
def test_options_that_a_schedule_does_not_have(function, message):
    with pytest.raises(ad.UnsupportedSyntaxError, match=message) as caught:
        ad.grad(function)(0.5)
    assert caught.value.lineno == function.__code__.co_firstlineno + 1
