"""The libraries beside which lanewise is measured, each as it is best used for the work.

A peer writes into the given array where it can, uses as many threads as lanewise, and does the same
exact work the natural way in that library, or does not take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from benchmarks.work import Contender, Work

MODULES = {
    "NumPy": "numpy_ufuncs",
    "ONNX Runtime": "onnx_runtime",
    "JAX": "jax_jit",
    "PyTorch": "pytorch",
    "numexpr": "numexpr_machine",
    "numba": "numba_loops",
}


class Peer(Protocol):
    name: str

    def contender(self, work: Work) -> Contender | None:
        """Ready to run, or None if the library has no such work; errors of the library are let through."""
        ...


def load(names: Sequence[str], threads: int) -> tuple[list[Peer], dict[str, str]]:
    """The peers that can be imported, and why the others cannot."""
    found: list[Peer] = []
    missing: dict[str, str] = {}
    for name in names:
        try:
            found.extend(import_module(f"benchmarks.peers.{MODULES[name]}").make(threads))
        except ImportError as error:
            missing[name] = str(error)
    return found, missing
