"""Other systems as extra columns, where they are installed: each turns a portable function into a gradient call."""
from __future__ import annotations

import importlib.util

import numpy as np


def installed() -> tuple[str, ...]:
    """Names of the peers that can be imported."""
    return tuple(name for name in _MAKERS if importlib.util.find_spec(name) is not None)


def gradient_call(name: str, portable, arguments):
    """A callable without arguments that computes value and gradient with the system `name`."""
    return _MAKERS[name](portable, arguments)


def _autograd(portable, arguments):
    import autograd
    import autograd.numpy

    run = autograd.value_and_grad(lambda x, *rest: portable(autograd.numpy, x, *rest))
    return lambda: run(*arguments)


def _jax(portable, arguments):
    import jax
    import jax.numpy

    jax.config.update("jax_enable_x64", True)
    # Integers set trip counts and shapes, so they are constants of the compiled function.
    counts = tuple(i for i, a in enumerate(arguments) if isinstance(a, int))
    run = jax.jit(jax.value_and_grad(lambda x, *rest: portable(jax.numpy, x, *rest)), static_argnums=counts)
    on_device = [a if i in counts else jax.numpy.asarray(a) for i, a in enumerate(arguments)]
    return lambda: jax.block_until_ready(run(*on_device))


def _torch(portable, arguments):
    import torch

    torch.set_num_threads(1)
    x, *rest = (torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments)
    x = x.requires_grad_() if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64, requires_grad=True)

    def call():
        value = portable(torch, x, *rest)
        return value, torch.autograd.grad(value, x)

    return call


_MAKERS = {"autograd": _autograd, "jax": _jax, "torch": _torch}
