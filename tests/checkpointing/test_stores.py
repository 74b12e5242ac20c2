"""Stores of snapshots: what comes back is what went in, and what goes wrong on a disk is an error."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.checkpointing import DISK, MEMORY, Drop, Restore, Snapshot, Snapshots
from adcompiler.checkpointing.disk_store import DiskStore
from adcompiler.checkpointing.memory_store import MemoryStore


@pytest.fixture(params=["memory", "disk"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else DiskStore(tmp_path)


def state():
    u = np.arange(6.0)
    return u, u[::-2], [np.float32([1, 2]), "text"], 4, 2.5, None, np.arange(6.0).reshape(2, 3).T


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.strides == b.strides and a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and type(a) is type(b)


def test_what_comes_back_is_what_went_in(store):
    saved = state()
    store.save(3, saved)
    saved[0][:] = 100.0
    for last in (False, False, True):
        loaded = store.load(3, last)
        assert same(loaded, state())
        loaded[0][:] = -1.0  # the program goes on in it
        assert np.all(loaded[1] == -1.0)
    assert len(store) == 0 and store.nbytes == 0


def test_snapshots_that_are_not_there(store):
    store.save(1, (1.0,))
    store.load(1, last=True)
    for act in (store.load, store.drop):
        with pytest.raises(KeyError):
            act(1)


def test_the_same_step_again(store):
    store.save(1, (1.0,))
    store.save(1, (2.0,))
    assert store.load(1) == (2.0,) and len(store) == 1


def test_bytes_are_accounted(store):
    for step in range(3):
        store.save(step, (np.zeros(1000),))
    peak = store.nbytes
    assert 24_000 <= peak <= 24_000 + 3 * 300
    store.drop(0)
    store.load(2, last=True)
    assert 8000 <= store.nbytes <= 8300 and store.peak_nbytes == peak
    store.close()
    assert store.nbytes == 0 and len(store) == 0


def test_forks_do_not_disturb_each_other(store):
    store.save(0, state())
    store.save(1, (np.zeros(2),))
    other = store.fork()
    for each in (store, other):
        loaded = each.load(0, last=True)
        assert same(loaded, state())
        loaded[0][:] = 50.0
    other.drop(1)
    other.save(1, (np.ones(2),))
    assert store.load(1)[0].tolist() == [0, 0] and other.load(1)[0].tolist() == [1, 1]
    store.close()
    assert other.load(1, last=True)[0].tolist() == [1, 1]


def test_entries_by_reference():
    store = MemoryStore(mutable=(False, True))
    a, b = np.zeros(2), np.zeros(2)
    store.save(0, (a, b))
    assert store.load(0)[0] is a and store.load(0)[1] is not b
    first, second = store.load(0)[1], store.load(0, last=True)[1]
    assert not np.shares_memory(first, second)


def test_the_last_load_needs_no_copy():
    store = MemoryStore()
    store.save(0, (np.zeros(2),))
    kept = store._states[0][0][0]
    assert store.load(0)[0] is not kept
    assert store.load(0, last=True)[0] is kept


def test_levels(tmp_path):
    snapshots = Snapshots(directory=tmp_path)
    snapshots.save(Snapshot(0, DISK), (np.zeros(100),))
    snapshots.save(Snapshot(0, MEMORY), (np.ones(50),))
    assert snapshots.nbytes == 400 and 800 <= snapshots.disk_nbytes < 1200 and len(snapshots) == 2
    other = snapshots.fork()
    assert snapshots.restore(Restore(0, DISK, last=True))[0].sum() == 0
    assert other.restore(Restore(0, DISK))[0].sum() == 0
    assert other.restore(Restore(0, MEMORY))[0].sum() == 50
    other.drop(Drop(0, DISK))
    assert os.listdir(*[tmp_path / name for name in os.listdir(tmp_path)]) == []
    snapshots.close()
    assert snapshots.nbytes == 0 and len(snapshots) == 0 and snapshots.peak_nbytes == 400


@pytest.mark.parametrize("level", [MEMORY, DISK])
def test_fewer_bits(level):
    snapshots = Snapshots(tape_dtype="float16")
    u, v = np.full(100, 0.1), np.arange(100.0)
    inner = np.full(100, 0.1)
    state = (u, v, v[1:], 3, [inner], u.astype(np.float32))
    snapshots.save(Snapshot(0, level), state)
    size = snapshots.nbytes if level is MEMORY else snapshots.disk_nbytes
    assert 200 + 800 + 800 + 200 <= size <= 3000
    other = snapshots.fork()
    for each in (snapshots, other):
        a, b, c, d, e, f = each.restore(Restore(0, level, last=True))
        assert np.array_equal(a, u.astype(np.float16).astype(float)) and a[0] != 0.1
        assert np.array_equal(f, a.astype(np.float32)) and f.dtype == np.float32
        assert np.array_equal(b, v) and np.shares_memory(b, c) and d == 3 and np.array_equal(e[0], inner)
    assert u[0] == 0.1
    with pytest.raises(ValueError, match="tape_dtype='f2'"):
        Snapshots(tape_dtype="f2")


def files(directory):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names)


def test_files_go_with_their_store(tmp_path):
    store = DiskStore(tmp_path)
    store.save(0, (1.0,))
    fork = store.fork()
    del store
    gc.collect()
    assert len(files(tmp_path)) == 1 and fork.load(0) == (1.0,)
    del fork
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_files_go_after_an_error(tmp_path):
    def reverse_sweep():
        store = DiskStore(tmp_path)
        store.save(0, (np.zeros(3),))
        assert len(files(tmp_path)) == 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reverse_sweep()
    gc.collect()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise RuntimeError('end')"])
def test_files_go_with_the_process(tmp_path, end):
    program = f"""
        import os, sys
        import numpy as np
        from adcompiler.checkpointing.disk_store import DiskStore
        store = DiskStore(sys.argv[1])
        store.save(0, (np.zeros(3),))
        if os.fork() == 0:
            sys.exit()  # a child's end removes nothing
        os.wait()
        assert store.load(0)[0].sum() == 0
        {end}
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), tmp_path], capture_output=True, text=True)
    assert "SnapshotError" not in done.stderr and "Assertion" not in done.stderr
    assert (done.returncode == 0) == (end == "")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_a_full_disk(tmp_path):
    """/dev/full takes nothing, as a full disk does."""
    store = DiskStore(tmp_path)
    store.save(0, (1.0,))
    os.symlink("/dev/full", os.path.join(store.directory, "step-7.snapshot-2"))
    store._folder.new_name = lambda step: os.path.join(store.directory, "step-7.snapshot-2")
    with pytest.raises(ad.SnapshotError) as caught:
        store.save(7, (np.zeros(1000),))
    assert "the state before step 7, 8000 bytes, could not be written to" in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert "hint: make room there, name another directory" in str(caught.value)
    assert store.load(0) == (1.0,) and len(store) == 1
    assert [os.path.basename(path) for path in files(tmp_path)] == ["step-0.snapshot"]


def test_a_limit_on_the_size_of_files(tmp_path):
    """The write fails in the middle; what was written is removed."""
    resource = pytest.importorskip("resource")
    store = DiskStore(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ad.SnapshotError, match="File too large"):
            store.save(0, (np.zeros(10_000),))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files(tmp_path) == []


def change(path, index):
    content = bytearray(open(path, "rb").read())
    content[index] ^= 1
    open(path, "wb").write(content)


def cut(path, size):
    content = open(path, "rb").read()
    open(path, "wb").write(content[:size])


DAMAGE = {
    "removed": lambda path: os.remove(path),
    "empty": lambda path: cut(path, 0),
    "in the head": lambda path: cut(path, 25),
    "a byte short": lambda path: cut(path, -1),
    "a byte more": lambda path: open(path, "ab").write(b"x"),
    "format": lambda path: change(path, 0),
    "number of parts": lambda path: change(path, 29),
    "length of a part": lambda path: change(path, 31),
    "an array": lambda path: change(path, -100),
    "checksum": lambda path: change(path, -1),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_an_error(tmp_path, damage):
    store = DiskStore(tmp_path)
    store.save(5, (np.arange(100.0),))
    DAMAGE[damage](*files(tmp_path))
    with pytest.raises(ad.SnapshotError) as caught:
        store.load(5)
    what = "cannot be read: No such file or directory" if damage == "removed" else "is not the file that was written"
    assert str(caught.value).startswith("the state before step 5 in ") and what in str(caught.value)


def test_every_byte_counts(tmp_path):
    store = DiskStore(tmp_path)
    store.save(0, (np.arange(3.0), 2))
    (path,) = files(tmp_path)
    for index in range(os.path.getsize(path)):
        change(path, index)
        with pytest.raises(ad.SnapshotError):
            store.load(0)
        change(path, index)
    assert store.load(0)[1] == 2


def test_an_older_file_in_the_place_of_the_newer(tmp_path):
    store = DiskStore(tmp_path)
    store.save(0, (1.0,))
    store.save(1, (2.0,))
    old, new = files(tmp_path)
    os.replace(old, new)
    with pytest.raises(ad.SnapshotError, match="is not the file that was written"):
        store.load(1)


def test_a_state_that_is_no_data(tmp_path):
    with pytest.raises(ad.SnapshotError, match="the state before step 0 cannot be written to disk: .*lambda"):
        DiskStore(tmp_path).save(0, (lambda: 1.0,))


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(ad.SnapshotError, match="no directory for snapshots could be made in .*missing'"):
        DiskStore(tmp_path / "missing")


def test_the_directory_is_removed_by_others(tmp_path):
    store = DiskStore(tmp_path)
    store.save(0, (1.0,))
    os.remove(*files(tmp_path))
    os.rmdir(store.directory)
    with pytest.raises(ad.SnapshotError):
        store.load(0)
    with pytest.raises(ad.SnapshotError, match="could not be written"):
        store.save(1, (1.0,))
    store.drop(0)
