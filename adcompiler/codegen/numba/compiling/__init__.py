"""From generated definitions to what a caller gets: types of the parameters, the text in a file, Numba, entries."""
