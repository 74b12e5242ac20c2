"""Loops that have been written become better ones: every module takes statements and gives statements, nothing else."""
