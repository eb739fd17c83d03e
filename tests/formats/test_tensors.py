"""Tensor files: exact, or refused."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest

import lanewise as lw
from lanewise.formats.tensors import npy_array, read_tensors, write_npy


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.int16).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)),
        np.array(True),
        np.zeros((0, 4), np.float32),
        np.array([1.5, -2.0], ml_dtypes.bfloat16),
        np.array([1, 2], ">i4"),
    ],
    ids=lambda a: f"{a.dtype}{list(a.shape)}",
)
def test_npy_round_trip(array: np.ndarray, tmp_path: Path):
    write_npy(tmp_path / "a.npy", array)
    found = read_tensors(tmp_path / "a.npy")[""]
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_npz_and_pb(tmp_path: Path):
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(3), y=np.array([True]))
    found = read_tensors(tmp_path / "a.npz")
    assert {name: array.tolist() for name, array in found.items()} == {"x": [0, 1, 2], "y": [True]}
    (tmp_path / "t.pb").write_bytes(onnx.numpy_helper.from_array(np.arange(3), "t").SerializeToString())
    assert read_tensors(tmp_path / "t.pb")["t"].tolist() == [0, 1, 2]


def npy(header: str, payload: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    size = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + text + payload


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", bytes(8)), "needs 12 bytes; the file holds 8"),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", bytes(8)), "needs 4 bytes; the file holds 8"),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000000,)}"), "needs 4,000,000,000,000 bytes"),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}", bytes(4)), "that is no size"),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 9999999999999999999)}"), "that is no size"),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (True,)}", bytes(4)), "that is no size"),
        (npy(f"{{'descr': '<i4', 'fortran_order': False, 'shape': {(1,) * 70}}}", bytes(4)), "rank 70 is above 64"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", bytes(8)), "Python objects (pickles)"),
        (npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", bytes(8)), "complex64 is no element type"),
        (npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", bytes(4)), "no element type"),
        (npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", b"\x07"), "the byte 7 as a boolean"),
        (npy("__import__('os').abort()"), "header cannot be read"),
        (npy("(" * 5000), "header cannot be read"),
        (
            npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", bytes(4), b"\x03\x00"),
            "structured types only",
        ),
        (b"\x93NUMPY", "header cannot be read"),
        (b"\x93NUMPY\x01\x00\xff\xff", "header cannot be read"),
    ],
)
def test_hostile_npy(content: bytes, says: str, tmp_path: Path):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(lw.InvalidError) as caught:
        read_tensors(path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_only_regular_files_are_read(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.onnx")
    for path in (tmp_path / "pipe.onnx", Path("/dev/zero"), tmp_path):
        for read in (read_tensors, lw.load):
            with pytest.raises(lw.InvalidError, match="is no regular file"):
                read(path)


def test_pickled_arrays_are_never_loaded(tmp_path: Path):
    # https://github.com/numpy/numpy/issues/12759
    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(lw.InvalidError, match="never loaded"):
        npy_array(stream.getvalue(), "x.npy")


def test_hostile_archives(tmp_path: Path):
    good = io.BytesIO()
    np.save(good, np.zeros(1 << 16, np.uint8))

    def archive(write) -> Path:
        path = tmp_path / "a.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            write(file)
        return path

    bomb = archive(lambda file: file.writestr("x.npy", good.getvalue()))
    assert bomb.stat().st_size < 1000
    with pytest.raises(lw.InvalidError, match="unpacks to 65,664 bytes; the limit is 1,000"):
        read_tensors(bomb, max_tensor_bytes=1000)
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = archive(lambda file: [file.writestr("x.npy", good.getvalue()) for _ in range(2)])
    with pytest.raises(lw.InvalidError, match="is there twice"):
        read_tensors(twice)
    content = bytearray(archive(lambda file: file.writestr("x.npy", good.getvalue())).read_bytes())
    content[60:70] = b"\xff" * 10
    (tmp_path / "broken.npz").write_bytes(content)
    with pytest.raises(lw.InvalidError, match="cannot be read"):
        read_tensors(tmp_path / "broken.npz")
    (tmp_path / "cut.npz").write_bytes(bytes(content)[:50])
    with pytest.raises(lw.InvalidError, match="cannot be read"):
        read_tensors(tmp_path / "cut.npz")
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(lw.UnsupportedError, match="not a tensor file"):
        read_tensors(tmp_path / "x.txt")
