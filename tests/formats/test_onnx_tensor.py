"""ONNX tensors: what is stored is what is read, or a refusal that names the rule."""

from __future__ import annotations

import os
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto

import lanewise as lw
from lanewise.formats.onnx_tensor import tensor_array
from tests.formats.onnx_models import shift_model, tensor

T = TensorProto
LIMIT = 1 << 20


def read(made: onnx.TensorProto, folder: Path | None = None) -> np.ndarray:
    return tensor_array(made, "y", folder, LIMIT)


@pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])
@pytest.mark.parametrize(
    "array",
    [
        np.array([True, False, True]),
        *(np.array([np.iinfo(t).min, 0, np.iinfo(t).max], t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")),
        np.array([[1.5, -0.0], [np.inf, 65504]], np.float16),
        np.array([1.5, -np.inf, 3e38], ml_dtypes.bfloat16),
        np.array([1.5, np.nan, 1e-45], np.float32),
        np.array([1.5, 5e-324], np.float64),
        np.array(7, np.int64),
        np.zeros((2, 0, 3), np.int32),
    ],
    ids=lambda a: f"{a.dtype}{list(a.shape)}",
)
def test_every_type_in_both_encodings(array: np.ndarray, raw: bool):
    made = onnx.helper.make_tensor(
        "y",
        onnx.helper.np_dtype_to_tensor_dtype(array.dtype),
        array.shape,
        array.tobytes() if raw else array.ravel().tolist(),
        raw=raw,
    )
    found = read(made)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()


def test_raw_data_is_little_endian():
    # https://github.com/onnx/onnx/issues/4253
    assert read(tensor(T.UINT16, [1], raw_data=b"\x01\x00")).tolist() == [1]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        # https://github.com/sonos/tract/pull/2795
        (tensor(T.FLOAT, [-1], raw_data=bytes(4)), "shape [-1] has a negative dimension"),
        # https://github.com/onnx/onnx-mlir/pull/3608
        (tensor(T.INT64, [1], raw_data=bytes(4096)), "shape [1] of int64 needs 8 bytes; raw_data has 4096"),
        (tensor(T.INT64, [4], raw_data=bytes(8)), "shape [4] of int64 needs 32 bytes; raw_data has 8"),
        (tensor(T.INT32, [2]), "shape [2] needs 2 values; int32_data has 0"),
        # https://github.com/ooples/AiDotNet.Tensors/pull/193
        (tensor(T.UINT8, [2], int32_data=[300, -1]), "int32_data holds -1, which is outside uint8 (0 … 255)"),
        (tensor(T.INT8, [1], int32_data=[128]), "int32_data holds 128, which is outside int8 (-128 … 127)"),
        (tensor(T.UINT32, [1], uint64_data=[1 << 32]), "uint64_data holds 4294967296, which is outside uint32"),
        (tensor(T.BOOL, [1], int32_data=[2]), "int32_data holds 2, which is outside bool (0 … 1)"),
        (tensor(T.BOOL, [1], raw_data=b"\x02"), "holds the byte 2 as a boolean; allowed: 0, 1"),
        (tensor(T.FLOAT16, [1], int32_data=[65536]), "int32_data holds 65536, which is outside float16"),
        (tensor(T.UINT8, [1], int64_data=[1]), "a uint8 tensor keeps its values in int32_data, not in int64_data"),
        (tensor(T.UINT8, [1], int32_data=[1], raw_data=b"\x01"), "stored twice, in int32_data and raw_data"),
        (tensor(T.UINT8, [1 << 40], raw_data=b""), "the limit is 1,048,576 (max_tensor_bytes)"),
        (tensor(T.UINT8, [1 << 62, 1 << 62, 1 << 62], raw_data=b""), "the limit is 1,048,576"),
        (tensor(T.UINT8, [1] * 65, raw_data=b"\x01"), "rank 65 is above 64"),
        (tensor(999, [1], raw_data=b"\x01"), "element type number 999 does not exist"),
        (tensor(T.UNDEFINED, [1], raw_data=b"\x01"), "element type undefined is not one of lanewise's"),
        (tensor(T.STRING, [1], string_data=[b"a"]), "element type string is not one of lanewise's"),
        (tensor(T.FLOAT8E4M3FN, [1], raw_data=b"a"), "element type float8e4m3fn is not one of lanewise's"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_refused(made: onnx.TensorProto, says: str):
    with pytest.raises((lw.InvalidError, lw.UnsupportedError)) as caught:
        read(made)
    assert says in str(caught.value)
    assert str(caught.value).startswith("y: ")


def external(*entries: tuple[str, str]) -> onnx.TensorProto:
    return tensor(T.UINT8, [4], external_data=entries)


class TestExternalData:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        inner = tmp_path / "model"
        inner.mkdir()
        (inner / "w.bin").write_bytes(bytes(range(10)))
        (tmp_path / "secret.bin").write_bytes(b"abcd")
        return inner

    def test_read_from_beside_the_model(self, folder: Path):
        assert read(external(("location", "w.bin"), ("offset", "3")), folder).tolist() == [3, 4, 5, 6]
        (folder / "sub").mkdir()
        (folder / "sub" / "v.bin").write_bytes(b"\x09\x08\x07\x06")
        assert read(external(("location", "sub/v.bin"), ("length", "4")), folder).tolist() == [9, 8, 7, 6]

    @pytest.mark.parametrize(
        ("entries", "says"),
        [
            # https://github.com/onnx/onnx/issues/3991
            ([("location", "../../../etc/passwd")], "leaves the model's folder"),
            ([("location", "../secret.bin")], "leaves the model's folder"),
            ([("location", "sub/../../secret.bin")], "leaves the model's folder"),
            ([("location", "/etc/passwd")], "leaves the model's folder"),
            ([("location", "..\\secret.bin")], "leaves the model's folder"),
            ([("location", "")], "leaves the model's folder"),
            ([("location", "w.bin\0x")], "leaves the model's folder"),
            ([("offset", "0")], "leaves the model's folder"),
            # https://github.com/onnx/onnx/pull/7751
            ([("location", "w.bin"), ("offset", "-1"), ("length", "4")], "has offset '-1'; allowed: a whole number"),
            ([("location", "w.bin"), ("offset", "9" * 30)], "allowed: a whole number"),
            ([("location", "w.bin"), ("offset", "２")], "allowed: a whole number"),  # a digit, but none of ours
            ([("location", "w.bin"), ("offset", "1e3")], "allowed: a whole number"),
            ([("location", "w.bin"), ("offset", "7")], "has 10 bytes; offset 7 and length 4 reach past its end"),
            ([("location", "w.bin"), ("offset", "999999999999999999")], "reach past its end"),
            ([("location", "w.bin"), ("length", "5")], "need 4 bytes; external data has length 5"),
            ([("location", "w.bin"), ("__class__", "x")], "unknown key '__class__'"),
            ([("location", "w.bin"), ("location", "v.bin")], "has the key 'location' twice"),
            ([("location", "missing.bin")], "No such file"),
            ([("location", ".")], "is a link or no regular file"),
        ],
    )
    def test_refused(self, folder: Path, entries: list[tuple[str, str]], says: str):
        with pytest.raises(lw.InvalidError, match="^y: ") as caught:
            read(external(*entries), folder)
        assert says in str(caught.value)

    def test_links_are_refused(self, folder: Path):
        # https://github.com/onnx/onnx/pull/7717
        os.symlink("../secret.bin", folder / "soft.bin")
        os.link(folder.parent / "secret.bin", folder / "hard.bin")
        os.symlink("..", folder / "up")
        os.mkfifo(folder / "pipe")
        for location in ("soft.bin", "up/secret.bin"):
            with pytest.raises(lw.InvalidError, match="goes through a link"):
                read(external(("location", location)), folder)
        for location in ("hard.bin", "pipe"):
            with pytest.raises(lw.InvalidError, match="is a link or no regular file"):
                read(external(("location", location)), folder)

    def test_a_model_given_as_bytes_has_no_folder(self):
        # https://github.com/microsoft/onnxruntime/issues/8422
        model = shift_model(y=external(("location", "w.bin")))
        with pytest.raises(lw.InvalidError, match="a model given as bytes has no folder"):
            lw.load(model.SerializeToString(), format="onnx")

    def test_a_model_file_with_external_data_runs(self, folder: Path):
        path = folder / "m.onnx"
        path.write_bytes(shift_model(y=external(("location", "w.bin"))).SerializeToString())
        outcome = lw.load(path).run(np.array([1, 1, 1, 1], np.uint8))
        assert outcome.outputs["z"].tolist() == [1, 2, 4, 8]
