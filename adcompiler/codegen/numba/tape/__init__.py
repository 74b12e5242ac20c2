"""What is kept for the reverse sweep: lists of the tape, and the snapshots of checkpointed loops."""
