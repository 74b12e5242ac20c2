"""Snapshots in files: what comes back is what went in, and what goes wrong on a disk is an error."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.checkpointing import SnapshotFile, SnapshotFolder


def state():
    u = np.arange(6.0)
    return u, u[::-2], [np.float32([1, 2]), "text"], 4, 2.5, None, np.arange(6.0).reshape(2, 3).T


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.strides == b.strides and a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and type(a) is type(b)


def test_what_comes_back_is_what_went_in():
    saved = state()
    file = SnapshotFile(SnapshotFolder(), 3, saved)
    saved[0][:] = 100.0
    for _ in range(3):
        loaded = file.read()
        assert same(loaded, state())
        loaded[0][:] = -1.0  # the program goes on in it
        assert np.all(loaded[1] == -1.0)


def test_several_files_of_one_step():
    folder = SnapshotFolder()
    first, second = SnapshotFile(folder, 1, (1.0,)), SnapshotFile(folder, 1, (2.0,))
    assert first.read() == (1.0,) and second.read() == (2.0,)
    del first
    third = SnapshotFile(folder, 1, (3.0,))
    assert second.read() == (2.0,) and third.read() == (3.0,)


def test_bytes():
    file = SnapshotFile(SnapshotFolder(), 0, (np.zeros(1000),))
    assert 8000 <= file.nbytes <= 8300


def files(directory):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names)


def test_files_go_with_their_objects(tmp_path):
    folder = SnapshotFolder(tmp_path)
    first, second = SnapshotFile(folder, 0, (1.0,)), SnapshotFile(folder, 1, (2.0,))
    del folder, first
    gc.collect()
    assert len(files(tmp_path)) == 1 and second.read() == (2.0,)
    del second
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_files_go_after_an_error(tmp_path):
    def reverse_sweep():
        kept = [SnapshotFile(SnapshotFolder(tmp_path), 0, (np.zeros(3),))]
        assert len(files(tmp_path)) == len(kept) == 1
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
        from adcompiler.checkpointing import SnapshotFile, SnapshotFolder
        file = SnapshotFile(SnapshotFolder(sys.argv[1]), 0, (np.zeros(3),))
        if os.fork() == 0:
            sys.exit()  # a child's end removes nothing
        os.wait()
        assert file.read()[0].sum() == 0
        {end}
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), tmp_path], capture_output=True, text=True)
    assert "SnapshotError" not in done.stderr and "Assertion" not in done.stderr
    assert (done.returncode == 0) == (end == "")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_a_full_disk(tmp_path):
    """/dev/full takes nothing, as a full disk does."""
    folder = SnapshotFolder(tmp_path)
    kept = SnapshotFile(folder, 0, (1.0,))
    path = os.path.join(folder.path, "step-7.snapshot")
    os.symlink("/dev/full", path)
    folder.new_name = lambda step: path
    with pytest.raises(ad.SnapshotError) as caught:
        SnapshotFile(folder, 7, (np.zeros(1000),))
    assert "the state before step 7, 8000 bytes, could not be written to" in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert "hint: make room there, name another directory" in str(caught.value)
    assert kept.read() == (1.0,)
    assert [os.path.basename(path) for path in files(tmp_path)] == ["step-0.snapshot"]


def test_a_limit_on_the_size_of_files(tmp_path):
    """The write fails in the middle; what was written is removed."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ad.SnapshotError, match="File too large"):
            SnapshotFile(SnapshotFolder(tmp_path), 0, (np.zeros(10_000),))
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
    file = SnapshotFile(SnapshotFolder(tmp_path), 5, (np.arange(100.0),))
    DAMAGE[damage](file.path)
    with pytest.raises(ad.SnapshotError) as caught:
        file.read()
    what = "cannot be read: No such file or directory" if damage == "removed" else "is not the file that was written"
    assert str(caught.value).startswith("the state before step 5 in ") and what in str(caught.value)


def test_every_byte_counts(tmp_path):
    file = SnapshotFile(SnapshotFolder(tmp_path), 0, (np.arange(3.0), 2))
    for index in range(os.path.getsize(file.path)):
        change(file.path, index)
        with pytest.raises(ad.SnapshotError):
            file.read()
        change(file.path, index)
    assert file.read()[1] == 2


def test_another_file_in_the_place_of_this_one(tmp_path):
    folder = SnapshotFolder(tmp_path)
    old, new = SnapshotFile(folder, 0, (1.0,)), SnapshotFile(folder, 1, (2.0,))
    os.replace(old.path, new.path)
    with pytest.raises(ad.SnapshotError, match="is not the file that was written"):
        new.read()


def test_a_state_that_is_no_data(tmp_path):
    with pytest.raises(ad.SnapshotError, match="the state before step 0 cannot be written to disk: .*lambda"):
        SnapshotFile(SnapshotFolder(tmp_path), 0, (lambda: 1.0,))


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(ad.SnapshotError, match="no directory for snapshots could be made in .*missing'"):
        SnapshotFolder(tmp_path / "missing")


def test_the_directory_is_removed_by_others(tmp_path):
    folder = SnapshotFolder(tmp_path)
    file = SnapshotFile(folder, 0, (1.0,))
    os.remove(file.path)
    os.rmdir(folder.path)
    with pytest.raises(ad.SnapshotError):
        file.read()
    with pytest.raises(ad.SnapshotError, match="could not be written"):
        SnapshotFile(folder, 1, (1.0,))
