"""IREE: TOSA modules of one operator, as MLIR text, compiled for this machine's processor and run by its runtime."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import iree.compiler.tools as compiler
import numpy as np
from iree import runtime

from lanewise.conformance.targets.case import Case, Died, NotThere
from lanewise.conformance.targets.copies import in_a_copy
from lanewise.conformance.targets.names import LIBRARIES
from lanewise.conformance.targets.process import ending
from lanewise.conformance.targets.tosa_graphs import graph_of, varies
from lanewise.formats.mlir_writer import model_bytes
from lanewise.language.errors import UnsupportedError

Array = np.ndarray[Any, Any]
BATCH = LIBRARIES["iree"].batch  # every row is as long: compiling takes longest, so that a case has few shapes
KEPT = 64  # modules, compiled


def runner(_: str) -> Any:
    def run(case: Case, operands: list[Any]) -> Any:
        if case.specification != "tosa" or str(case.version).startswith("0."):
            raise NotThere("its TOSA is that of 1.0 and later")
        free = varies(case)
        filled = [_filled(array) if vary else array for array, vary in zip(operands, free, strict=True)]
        model, given = graph_of(case, filled)
        try:
            text = model_bytes(model, generic=True)
        except UnsupportedError as error:
            raise NotThere(f"no text can ask it: {error}") from None
        module = compiled(text)
        if isinstance(module, Exception):
            raise module
        result = in_a_copy(lambda: results(module, list(given.values()))[0])
        shapes = [array.shape for array, vary in zip(operands, free, strict=True) if vary]
        return result[tuple(slice(size) for size in np.broadcast_shapes(*shapes))]

    run.version = version("iree-base-compiler")  # type: ignore[attr-defined]
    return run


def _filled(array: Array) -> Array:
    """The array with its elements repeated up to one of a few sizes."""
    for axis, size in enumerate(array.shape):
        wanted = BATCH if array.ndim == 1 else 1 << (size - 1).bit_length()
        if size < wanted:
            array = array.take(np.arange(wanted) % size, axis)
    return array


@lru_cache(maxsize=KEPT)
def compiled(text: bytes) -> bytes | Exception:
    """The module, or why there is none."""
    try:
        made: bytes = compiler.compile_str(
            text, target_backends=["llvm-cpu"], input_type="tosa", extra_args=["--iree-llvmcpu-target-cpu=host"]
        )
        return made
    except compiler.CompilerToolError as error:
        said = str(error)
        code = re.search(r"Error code: (-\d+)", said)
        if code is not None:
            return Died(f"iree-compile {ending(int(code[1]))}")
        complaint = re.search(r"error: (.*)", said)
        return ValueError(complaint[1] if complaint is not None else said)


def results(module: bytes, arrays: list[Array]) -> list[Array]:
    """What a module's function gives."""
    config = runtime.Config("local-sync")
    loaded = runtime.load_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, module), config)
    given = [runtime.asdevicearray(config.device, array) for array in arrays]
    found = loaded["main"](*given)
    return [one.to_host() for one in (found if isinstance(found, list | tuple) else [found])]
