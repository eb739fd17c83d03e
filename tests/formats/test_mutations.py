"""Mutated model and tensor files: refused with a lanewise error or run; never anything else."""

from __future__ import annotations

import io
import random
import time
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats.tensors import read_tensors
from tests.formats.onnx_models import shift_model
from tests.graph.random_graphs import Generator

MUTANTS = 400


def mutate(content: bytes, source: random.Random) -> bytes:
    """Flips bits, cuts, doubles and splices, overwrites with huge numbers."""
    data = bytearray(content)
    for _ in range(source.randint(1, 4)):
        if not data:
            break
        at = source.randrange(len(data))
        kind = source.randrange(5)
        if kind == 0:
            data[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = data[at : at + source.randint(1, 20)]
        elif kind == 3:
            data[at : at + 1] = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
        else:
            del data[at : at + source.randint(1, 8)]
    return bytes(data)


@pytest.mark.parametrize("share", range(4))
def test_models(share: int, tmp_path: Path):
    source = random.Random(share)
    seeds = [shift_model().SerializeToString()]
    for seed in range(6):
        model, _ = Generator("onnx", 100 * share + seed).model(5)
        model.save(tmp_path / "m.onnx")
        seeds.append((tmp_path / "m.onnx").read_bytes())
    refused = ran = 0
    for _ in range(MUTANTS // 4):
        content = source.choice(seeds)
        content = content if source.random() < 0.1 else mutate(content, source)
        started = time.process_time()  # its own time: others may keep the machine busy
        try:
            model = lw.load(content, format="onnx", max_tensor_bytes=1 << 24)
            inputs = {
                name: np.zeros([size if isinstance(size, int) else 2 for size in kind.shape or ()], kind.sort.name)
                for name, kind in model.inputs.items()
                if kind.sort.name != "bfloat16"
                and np.prod([s for s in kind.shape or () if isinstance(s, int)], dtype=float) < 1e6
            }
            model.run(inputs)
            ran += 1
        except lw.LanewiseError as error:
            refused += 1
            assert str(error).startswith("model")
        assert time.process_time() - started < 30
    assert refused > 20
    assert ran > 0


def test_tensor_files(tmp_path: Path):
    source = random.Random(5)
    npy, npz = io.BytesIO(), io.BytesIO()
    np.save(npy, np.arange(12, dtype=np.int16).reshape(3, 4))
    np.savez_compressed(npz, a=np.arange(100), b=np.zeros((3, 3), np.bool_))
    path = tmp_path / "t.npy"
    refused = 0
    for _ in range(MUTANTS):
        path.write_bytes(mutate(source.choice([npy.getvalue(), npz.getvalue()]), source))
        try:
            read_tensors(path, max_tensor_bytes=1 << 24)
        except lw.LanewiseError as error:
            refused += 1
            assert str(error).startswith(str(path))
    assert refused > MUTANTS // 4
