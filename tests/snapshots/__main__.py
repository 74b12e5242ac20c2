"""Write every snapshot anew: `python -m tests.snapshots`."""
from tests.snapshots.store import write_all

write_all()
