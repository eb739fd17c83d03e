"""The machine and the just-in-time compiler: IR text in, the address of a loop out."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from lanewise.language import nodes

_lock = threading.RLock()  # llvmlite is not safe to use from several threads at once


# llvmlite has a lock of its own, also held while its objects are freed, which the garbage collector
# may do while a node is made. This order is the one in which they are ever taken inside each other.
_HELD_AT_FORK = (_lock, nodes.lock, llvm.ffi.lib._lock._lock)


def _before_fork() -> None:
    """No fork while another thread holds one of the locks: its child could never get it."""
    for lock in _HELD_AT_FORK:
        lock.acquire()


def _after_fork() -> None:
    for lock in reversed(_HELD_AT_FORK):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@cache
def _initialise() -> tuple[str, str, str]:
    """The host's triple, processor and features."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten()


def host_features() -> str:
    with _lock:
        return _initialise()[2]


def has_mxcsr() -> bool:
    """Whether the processor keeps rounding, flushing and flags of floats in MXCSR (x86)."""
    return _initialise()[0].startswith(("x86_64", "i686", "amd64"))


class Abilities(NamedTuple):
    """What a processor does in single instructions, where that decides how a loop is written."""

    half: bool  # converts float16; else LLVM would call a library that is not there
    permuted_bytes: int  # the size of a register whose bytes it permutes by variable positions, or 0
    permutes_words: bool  # permutes 16-bit words so


def abilities(features: str) -> Abilities:
    """The abilities behind LLVM's list of features, for the host's kind of processor."""
    if _initialise()[0].startswith(("aarch64", "arm64")):
        return Abilities(True, 0, False)
    have = set(features.split(","))
    wide = {"+avx512f", "+avx512bw"} <= have
    permuted = 64 if wide and "+avx512vbmi" in have else 32 if "+avx2" in have else 0
    return Abilities("+f16c" in have, permuted, wide)


class Compiled:
    """A loaded loop. The address is good for as long as this object lives; llvmlite frees the code after it."""

    def __init__(self, ir_text: str, name: str, features: str, optimised: bool = True) -> None:
        with _lock:
            triple, processor, _ = _initialise()
            # An engine takes its module and its target machine over, so each loop has its own.
            machine = llvm.Target.from_triple(triple).create_target_machine(
                cpu=processor, features=features, opt=3 if optimised else 0, jit=True
            )
            module = llvm.parse_assembly(ir_text)
            module.triple = triple
            module.data_layout = str(machine.target_data)
            module.verify()
            options = llvm.create_pipeline_tuning_options(speed_level=2 if optimised else 0)
            options.loop_vectorization = False  # the loop is written in vectors already
            options.slp_vectorization = False
            options.loop_unrolling = False
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
            self._engine: Any = llvm.create_mcjit_compiler(module, machine)
            self._engine.finalize_object()
            self.address: int = self._engine.get_function_address(name)

    def address_of(self, name: str) -> int:
        """Where another function of the text is."""
        found: int = self._engine.get_function_address(name)
        return found

    def address_of_data(self, name: str) -> int:
        """Where a global variable of the text is."""
        found: int = self._engine.get_global_value_address(name)
        return found
