"""The Numba backend: generated code is typed, lowered to loops over single numbers, and compiled to machine code.

- `types`, `typed`, `examples`, `raising`: what is known of values and of code; everything below builds on them.
- `lowering` walks a generated function with the types of one signature and writes one that Numba compiles with the
  same meaning; what it does not know is refused with the user's line. `arrays`, `functions` (of libraries), `containers`
  and `tape` are the parts of that walk. It is recursive, so these call each other. `handlers` loads all of them.
- `rewriting` takes loops as they have been written and writes better ones; `parallel` runs them on several threads.
- `compiling` puts the text into a file and has it compiled; it is what the rest of the compiler calls.
"""
