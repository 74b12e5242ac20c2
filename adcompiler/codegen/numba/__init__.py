"""The Numba backend: generated code is typed, lowered to loops over single numbers, and compiled to machine code.

`lowering` walks a generated function with the types of one signature and writes one that Numba compiles with the same
meaning; what it does not know is refused with the user's line. `module` puts the text into a file and has it compiled.
"""
