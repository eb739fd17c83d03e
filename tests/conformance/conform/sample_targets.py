"""Targets with known faults, as Python functions and as a program that speaks the protocol without lanewise."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.targets.copies import in_a_copy

PROGRAM = """
import base64, json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "hello":
        reply = {"protocol": 1, "version": "sample"}
    elif message["operator"] != "BitwiseAnd":
        reply = {"absent": "only BitwiseAnd"}
    elif message["output"] != "uint8":
        reply = {"refuses": "only bytes"}
    else:
        a, b = (base64.b64decode(tensor["data"]) for tensor in message["inputs"])
        if len(a) != len(b):
            reply = {"refuses": "no broadcasting"}
        else:
            both = bytes(x & y for x, y in zip(a, b))
            tensor = dict(message["inputs"][0], data=base64.b64encode(both).decode())
            reply = {"output": tensor}
    print(json.dumps(reply), flush=True)
"""


def masks_counts(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """BitShift whose count is taken modulo the width."""
    if case.operator != "BitShift":
        raise NotImplementedError("only BitShift")
    count = y & (x.dtype.itemsize * 8 - 1)
    return np.left_shift(x, count) if case.attributes["direction"] == "LEFT" else np.right_shift(x, count)


def right(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or}[case.operator](x, y)


def dies_on_seven(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """BitwiseAnd that kills its process for (3, 7)."""
    if ((x == 3) & (y == 7)).any():
        os.kill(os.getpid(), signal.SIGFPE)
    return np.bitwise_and(x, y)


def dies_on_zero(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if (y == 0).any():
        os._exit(9)
    return np.bitwise_and(x, y)


def hangs_on_seven(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    while ((x == 3) & (y == 7)).any():
        time.sleep(1)
    return np.bitwise_and(x, y)


def raises_on_seven(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if ((x == 3) & (y == 7)).any():
        raise ArithmeticError("no sevens")
    return np.bitwise_and(x, y)


def widens(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.bitwise_and(x, y).astype(np.int64)


def widens_wrongly(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of another type, wrong wherever x is 7, and once by a number that no byte has."""
    found = np.bitwise_and(x, y).astype(np.int64)
    return np.where((x == 3) & (y == 3), 259, np.where(x == 7, found ^ 16, found))


def never_of_one_shape(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.bitwise_and(x, y).astype(np.int64)[..., None]


def prints(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    print("a line that is no protocol")
    os.write(1, b"another\n")
    return np.bitwise_and(x, y)


def needs_contiguous(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Wrong on strided arrays: reads memory as if there were no strides."""
    if x.flags.c_contiguous or x.ndim != 1:
        return np.bitwise_and(x, y)
    return np.bitwise_and(np.zeros_like(x), y)


def forgets_broadcasting(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Right for operands of one shape, and of the first operand's shape for others."""
    return np.bitwise_and(x, np.broadcast_to(y, x.shape) if x.shape == y.shape else y.ravel()[0])


def hangs_in_a_copy(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Never ends, in a copy of its process that leaves its number in a file."""

    def work() -> np.ndarray:
        Path(os.environ["COPY"]).write_text(str(os.getpid()))
        time.sleep(600)
        return x

    return in_a_copy(work)


def without_subnormals(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Add of float32 that takes subnormal numbers for zeros, and is wrong for 7."""

    def flushed(z: np.ndarray) -> np.ndarray:
        return np.where(np.abs(z) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), z), z)

    total = flushed(flushed(x) + flushed(y))
    return np.where((x == 7) & (y == 1), np.float32(9), total) if "ADD" in case.operator else total


def keeps_the_sign_of_subnormals(case: Any, x: np.ndarray) -> np.ndarray:
    """Neg of float32 that gives subnormal numbers back as they are: neither kept as numbers nor taken for zeros."""
    return np.where((np.abs(x) < np.finfo(np.float32).tiny) & (x != 0), x, -x)


def squeezes(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """BitwiseAnd whose result has no axis for a single element."""
    return np.squeeze(np.bitwise_and(x, y))


def takes_no_strides(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if not x.flags.c_contiguous:
        raise ValueError("no strides")
    return np.bitwise_and(x, y)


def widens_batches(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """BitwiseAnd whose result has another type where there are many elements, the pair (3, 7) among them."""
    found = np.bitwise_and(x, y)
    return found.astype(np.int64) if found.size > 1 and ((x == 3) & (y == 7)).any() else found


def wrong_and_picky(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Never right, and of scattered pairs it takes none."""
    if (((x.astype(np.int64) * 31 + y.astype(np.int64) * 17) % 97) == 0).any():
        raise ValueError("not that one")
    return ~(x & y)


def never_answers(case: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with Path(os.environ.get("ASKED", os.devnull)).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)
    return x


STREAM = """
import json, sys, time
for text in sys.stdin:
    if json.loads(text)["do"] == "hello":
        print(json.dumps({"protocol": 1, "version": "stream"}), flush=True)
        continue
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sys.stdout.write(" " * 10)
        sys.stdout.flush()
        time.sleep(0.01)
    print()
"""
