"""What a report says of checkpointed loops: their snapshots, what runs again, and what the tape of a trip holds."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

from ..runtime.checkpointed import CheckpointedLoop
from ..runtime.loop_sizes import bytes_of_list
from ..runtime.sizes import nbytes


@dataclass(frozen=True)
class SavedInTrip:
    """A value on the tape of a trip. nbytes: of one trip, None without a run."""

    line: int
    name: str
    reason: str
    site: str
    nbytes: int | None = None
    filename: str = ""


@dataclass(frozen=True)
class ReplayedLoop:
    """A checkpointed loop. Without a run only `line`, `filename` and `saved` are known.

    trips: how many ran. snapshots, on_disk: states kept in memory and in files behind the forward sweep, snapshot_nbytes
    those in memory together. taped: trips of which the tape is there already. recomputed: trips that the adjoint will run.
    saved: what the tape of one trip holds.
    """

    line: int
    filename: str
    saved: tuple[SavedInTrip, ...]
    trips: int | None = None
    snapshots: int | None = None
    on_disk: int | None = None
    snapshot_nbytes: int | None = None
    taped: int | None = None
    recomputed: int | None = None


def replayed_loops(compiled, tape) -> list[ReplayedLoop]:
    """The checkpointed loops of compiled code; with figures where a tape is given that has them."""
    stores = {} if tape is None else dict(zip(tape.sites, tape.values, strict=True))
    return [_of_loop(loc, kept, stores.get(store), sites) for loc, store, sites, kept in compiled.replayed]


def _of_loop(loc, kept, loop, sites) -> ReplayedLoop:
    sizes, figures = {}, {}
    if isinstance(loop, CheckpointedLoop):
        taped = max(loop.taped, 1)
        sizes = {s: bytes_of_list(held, nbytes) // taped for s, held in zip(sites, loop.sites, strict=True)}
        states = list(loop.stored)
        figures = dict(
            trips=loop.trips,
            snapshots=sum(level.name == "MEMORY" for _, level in states),
            on_disk=sum(level.name == "DISK" for _, level in states),
            snapshot_nbytes=sum(state.nbytes for state in loop.stored.values()),
            taped=loop.taped,
            recomputed=loop.reruns(),
        )
    rows = [
        SavedInTrip(k.line, k.label or k.site, k.reason, k.site, sizes.get(k.site), (k.loc or loc).filename)
        for k in kept
    ]
    rows.sort(key=lambda r: (r.filename, r.line))
    return ReplayedLoop(loc.lineno, loc.filename, tuple(rows), **figures)


def loop_lines(loop: ReplayedLoop, filename, table) -> list[str]:
    """The text about one loop; `table` shows rows under their source lines."""
    text = linecache.getline(loop.filename, loop.line).strip()
    elsewhere = "" if loop.filename == filename else f"  ({loop.filename})"
    lines = ["run again in the reverse sweep", f"  {loop.line:4}  {text}{elsewhere}"]
    if loop.trips is not None:
        disk = f", {loop.on_disk} on disk" if loop.on_disk else ""
        states = f"{loop.snapshots} states in memory, {loop.snapshot_nbytes:,} bytes{disk}"
        lines.append(f"          {loop.trips:,} trips; {states}")
        again = "" if loop.recomputed is None else f"; the adjoint runs {loop.recomputed:,} trips again"
        lines.append(f"          trips on the tape so far: {loop.taped:,}{again}")
    return [*lines, *table("  on the tape of one trip", loop.saved, filename)]


__all__ = ["ReplayedLoop", "SavedInTrip", "loop_lines", "replayed_loops"]
