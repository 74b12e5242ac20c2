"""The reverse of a segment: what the block contributes, to be run behind a new run of the block.

Takes a `Segment` and the state of adjoints behind it; leaves one `Replay`, in which primal values are `Needed` nodes that
the new run will provide. The adjoint lines are those of the block without a segment, so that results are the same to the
last bit.
"""

from __future__ import annotations

from .branch_adjoints import is_empty
from .code import Replay


def reverse_segment(b, s):
    """The reverse of a segment."""
    code, b.code = b.code, []
    b.block(s.body)
    made, b.code = b.code, code
    if is_empty(made):
        b.code.extend(made)
    else:
        b.code.append(Replay(s, made, s.loc))


__all__ = ["reverse_segment"]
