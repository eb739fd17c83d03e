"""Feeds mutated TOSA files to lanewise: each must be refused or run, quickly and in little memory.

    python -m tools.fuzz_tosa [--files 10000] [--seed 0]

Seeds are random graphs written by lanewise itself. Mutations: flipped bits, cut ends, copied pieces
(vtables among them), huge numbers in place of lengths and offsets. The work runs in child processes,
so that a crash is seen and named. A file that crashes, takes more than a second, needs more than
ten times its size plus 64 MiB, or raises anything but a LanewiseError is written to fuzz-output/.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import struct
import sys
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import lanewise as lw
from lanewise.engines.storage import dtype_of
from tests.graph.random_graphs import Generator

SECONDS = 1.0
BATCH = 250
OUT = Path("fuzz-output")


def memory_allowed(size: int) -> int:
    return 10 * size + (64 << 20)


def seeds(count: int, folder: Path) -> list[bytes]:
    """Files of random graphs; those that no TOSA file can hold are left out."""
    found: list[bytes] = []
    number = 0
    while len(found) < count:
        version = ("0.23.0", "1.0", "1.1")[number % 3]
        model, _ = Generator("tosa", 5000 + number, version).model(1 + number % 10)
        number += 1
        try:
            model.save(folder / "seed.tosa")
        except lw.UnsupportedError:
            continue
        found.append((folder / "seed.tosa").read_bytes())
    return found


def mutate(content: bytes, source: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(source.choice((1, 1, 1, 2, 4))):
        if len(data) < 8:
            break
        at = source.randrange(len(data))
        kind = source.randrange(6)
        if kind == 0:
            data[at] ^= 1 << source.randrange(8)
        elif kind == 1 and source.random() < 0.3:
            del data[at:]
        elif kind == 2:
            word = source.choice((0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, len(data), len(data) - 4, 1 << 24))
            place = at & ~3
            data[place : place + 4] = struct.pack("<I", word)
        elif kind == 3:
            length = 2 * source.randint(2, 20)
            start = source.randrange(len(data)) & ~1
            data[at & ~1 : (at & ~1) + length] = data[start : start + length]
        elif kind == 4:
            data[at & ~1 : (at & ~1) + 2] = struct.pack("<H", source.randrange(1 << 16))
        else:
            data[at : at + 1] = bytes(source.randrange(256) for _ in range(source.randint(1, 8)))
    return bytes(data)


def resident_bytes(field: str, *, reset: bool = False) -> int:
    """What Linux counts for this process, the compiler's own memory too; 0 where there is no such count."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))
    except (OSError, StopIteration):
        return 0


def attempt(content: bytes) -> str:
    """What lanewise makes of a file: "ran", "refused", "slow: …", or what is wrong with how it ended."""
    limit = memory_allowed(len(content))
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    resident = resident_bytes("VmRSS", reset=True)
    started = time.perf_counter()
    try:
        model = lw.load(content, format="tosa", max_tensor_bytes=limit // 4)
        inputs = {name: np.zeros(kind.shape or (), dtype_of(kind.sort)) for name, kind in model.inputs.items()}  # type: ignore[arg-type]
        model.run(inputs)
        result = "ran"
    except lw.LanewiseError:
        result = "refused"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    seconds = time.perf_counter() - started
    peak = max(tracemalloc.get_traced_memory()[1] - before, resident_bytes("VmHWM") - resident)
    if peak > limit:
        return f"took {peak:,} bytes for a file of {len(content):,}"
    return result if seconds <= SECONDS else f"slow: {seconds:.2f} s"


def batch(files: list[bytes], answers: multiprocessing.SimpleQueue) -> None:  # type: ignore[type-arg]
    tracemalloc.start()
    attempt(files[0])  # imports and the first use of the compiler are not the file's
    for content in files:
        answers.put(attempt(content))


def fuzz(count: int, seed: int) -> Counter[str]:
    """Counts of files that "ran", were "refused", were "slow" (a busy machine's doing as well), or ended "wrong"."""
    source = random.Random(seed)
    with TemporaryDirectory() as folder:
        originals = seeds(60, Path(folder))
    results: Counter[str] = Counter()
    context = multiprocessing.get_context("spawn")
    for start in range(0, count, BATCH):
        files = [mutate(source.choice(originals), source) for _ in range(min(BATCH, count - start))]
        answers = context.SimpleQueue()
        child = context.Process(target=batch, args=(files, answers))
        child.start()
        done = 0
        while done < len(files):
            patience = time.monotonic() + 60
            while answers.empty() and child.is_alive() and time.monotonic() < patience:
                time.sleep(0.01)
            if answers.empty():
                answer = "hung" if child.is_alive() else f"crashed ({child.exitcode})"
                results["wrong"] += 1
                keep(files[done], answer)
                child.kill()
                break
            answer = answers.get()
            result = answer if answer in ("ran", "refused") else "slow" if answer.startswith("slow") else "wrong"
            results[result] += 1
            if result not in ("ran", "refused"):
                keep(files[done], answer)
            done += 1
        child.join()
        if sys.stderr.isatty():
            print(f"\r{start + len(files):,} files: {dict(results)}", end="", file=sys.stderr)
    return results


def keep(content: bytes, answer: str) -> None:
    """Writes down a file that was slow or ended wrongly."""
    OUT.mkdir(exist_ok=True)
    path = OUT / f"{len(list(OUT.iterdir())):04}.tosa"
    path.write_bytes(content)
    print(f"{path}: {answer}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.monotonic()
    results = fuzz(arguments.files, arguments.seed)
    print(
        f"{results['ran']} ran, {results['refused']} refused, {results['slow']} slow, {results['wrong']} wrong "
        f"({time.monotonic() - started:.0f} s)"
    )
    return 1 if results["wrong"] or results["slow"] else 0


if __name__ == "__main__":
    sys.exit(main())
