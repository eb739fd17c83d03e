"""Is every integer BitShift row, and a fused hash, ahead of NumPy and ONNX Runtime on 16 M elements?

Each line is one race: lanewise, NumPy, ONNX Runtime and a plain copy take turns; medians. All have
warm caches of compiled code, and all write into the same preallocated array (bound as an output of
ONNX Runtime), because where an array lies in memory matters as much as who writes it. Results are
compared before anything is timed.
"""

from __future__ import annotations

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import lanewise as lw
from benchmarks.measure import machine, parallel_copy, race, save, summary

ELEMENTS = 1 << 24


def session(model_bytes: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model_bytes, options, providers=["CPUExecutionProvider"])


def bound(model_bytes: bytes, inputs: dict[str, np.ndarray], name: str, out: np.ndarray):
    """A call of ONNX Runtime that reads and writes the given arrays in place."""
    made = session(model_bytes)
    binding = made.io_binding()
    for key, array in inputs.items():
        binding.bind_cpu_input(key, array)
    binding.bind_output(name, "cpu", 0, out.dtype, out.shape, out.ctypes.data)
    return lambda: made.run_with_iobinding(binding)


def shift_bytes(dtype: np.dtype, direction: str) -> bytes:
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    graph = helper.make_graph(
        [helper.make_node("BitShift", ["x", "y"], ["z"], direction=direction)],
        "shift",
        [helper.make_tensor_value_info(name, kind, [ELEMENTS]) for name in "xy"],
        [helper.make_tensor_value_info("z", kind, [ELEMENTS])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13).SerializeToString()


def murmur3_bytes() -> bytes:
    constants = {"c16": 16, "c13": 13, "m1": 0x85EBCA6B, "m2": 0xC2B2AE35}
    nodes = [
        helper.make_node("BitShift", ["h", "c16"], ["a"], direction="RIGHT"),
        helper.make_node("BitwiseXor", ["h", "a"], ["b"]),
        helper.make_node("Mul", ["b", "m1"], ["c"]),
        helper.make_node("BitShift", ["c", "c13"], ["d"], direction="RIGHT"),
        helper.make_node("BitwiseXor", ["c", "d"], ["e"]),
        helper.make_node("Mul", ["e", "m2"], ["f"]),
        helper.make_node("BitShift", ["f", "c16"], ["g"], direction="RIGHT"),
        helper.make_node("BitwiseXor", ["f", "g"], ["z"]),
    ]
    graph = helper.make_graph(
        nodes,
        "murmur3",
        [helper.make_tensor_value_info("h", TensorProto.UINT32, [ELEMENTS])],
        [helper.make_tensor_value_info("z", TensorProto.UINT32, [ELEMENTS])],
        [helper.make_tensor(name, TensorProto.UINT32, [], [value]) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13).SerializeToString()


def numpy_murmur3(h: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    np.right_shift(h, np.uint32(16), out=scratch)
    np.bitwise_xor(h, scratch, out=out)
    for factor, count in ((0x85EBCA6B, 13), (0xC2B2AE35, 16)):
        np.multiply(out, np.uint32(factor), out=out)
        np.right_shift(out, np.uint32(count), out=scratch)
        np.bitwise_xor(out, scratch, out=out)


def compare(contenders: dict, out: np.ndarray) -> None:
    """Stops if a contender's result differs from NumPy's."""
    results = {}
    for name in ("numpy", "lanewise", "onnxruntime"):
        out[...] = 0
        contenders[name]()
        results[name] = out.copy()
        assert np.array_equal(results[name], results["numpy"]), f"{name} differs from NumPy"


def main() -> None:
    generator = np.random.default_rng(11)
    report: dict[str, object] = {"machine": machine(), "elements": ELEMENTS, "threads": lw.get_threads(), "rows": {}}
    rows: dict[str, dict] = {}
    print(f"{ELEMENTS:,} elements, {lw.get_threads()} threads, medians in ms (ratio to lanewise)")
    print(f"{'work':22} {'lanewise':>9} {'copy':>15} {'NumPy':>15} {'ONNX Runtime':>15}")

    def line(name: str, contenders: dict) -> None:
        result = summary(race(contenders))
        rows[name] = result
        ours = result["lanewise"]["median"]
        peers = [result[peer]["median"] for peer in ("copy", "numpy", "onnxruntime")]
        print(f"{name:22} {ours:9.2f} " + " ".join(f"{time:7.2f} ({time / ours:4.1f}x)" for time in peers))

    for direction in ("LEFT", "RIGHT"):
        for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
            dtype = np.dtype(name)
            info = np.iinfo(dtype)
            x = generator.integers(info.min, info.max, ELEMENTS, dtype=dtype, endpoint=True)
            y = generator.integers(0, dtype.itemsize * 8, ELEMENTS, dtype=dtype)
            out = np.empty_like(x)
            plain = np.left_shift if direction == "LEFT" else np.right_shift
            contenders = {
                "lanewise": lambda: lw.onnx.bit_shift(x, y, direction=direction, out=out),
                "numpy": lambda: plain(x, y, out=out),
                "onnxruntime": bound(shift_bytes(dtype, direction), {"x": x, "y": y}, "z", out),
                "copy": parallel_copy(x, out),
            }
            compare(contenders, out)
            line(f"BitShift {direction} {name}", contenders)

    h = generator.integers(0, 1 << 32, ELEMENTS, dtype=np.uint32)
    out, scratch = np.empty_like(h), np.empty_like(h)
    content = murmur3_bytes()
    compiled = lw.compile(lw.load(content, format="onnx"))
    contenders = {
        "lanewise": lambda: compiled(h, out=out),
        "numpy": lambda: numpy_murmur3(h, out, scratch),
        "onnxruntime": bound(content, {"h": h}, "z", out),
        "copy": parallel_copy(h, out),
    }
    compare(contenders, out)
    line("murmur3 (8 nodes)", contenders)
    report["rows"] = rows
    save("foundation", report)


if __name__ == "__main__":
    main()
