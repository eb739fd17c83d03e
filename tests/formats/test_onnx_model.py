"""Model files: read, refused with file, place and rule, written and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import lanewise as lw
from tests.formats.onnx_models import shift_model


def load(model: onnx.ModelProto, **limits: int) -> lw.Model:
    return lw.load(model.SerializeToString(), format="onnx", **limits)


def refused(model: onnx.ModelProto, error: type[Exception] = lw.InvalidError, **limits: int) -> str:
    with pytest.raises(error) as caught:
        load(model, **limits)
    return str(caught.value)


def graph_of(nodes: list, **kinds: tuple[int, list]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, *kind) for name, kind in kinds.items() if name != "z"],
        [helper.make_tensor_value_info("z", *kinds["z"])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=10)


U8 = (TensorProto.UINT8, [4])


def test_runs():
    outcome = load(shift_model()).run({"x": np.array([1, 2, 3, 255], np.uint8)})
    assert outcome.status is lw.Status.VALID
    assert outcome.outputs["z"].tolist() == [2, 4, 12, 252]


def test_old_opset_names_node_type_and_the_opset_that_allows_it():
    # https://github.com/microsoft/onnxruntime/issues/25697
    y = onnx.numpy_helper.from_array(np.array([1, 1, 1, 1], np.int32), "y")
    message = refused(shift_model(11, TensorProto.INT32, y=y))
    assert message == (
        "model, node 0 (BitShift 'hash'): BitShift-11: no row for inputs (int32, int32); ONNX opset 11, BitShift "
        "lists (uint8, uint8) -> uint8; (uint16, uint16) -> uint16; (uint32, uint32) -> uint32; "
        "(uint64, uint64) -> uint64. It is allowed at opset 28"
    )


def test_versions():
    assert "BitShift: not in ONNX opset 10; its versions are 11, 28" in refused(shift_model(10))
    assert "lanewise knows opsets up to 28" in refused(shift_model(29), lw.UnsupportedError)
    model = shift_model()
    del model.opset_import[:]
    assert "imports no ONNX operator set" in refused(model)
    model = shift_model()
    model.opset_import.append(helper.make_opsetid("ai.onnx", 11))
    assert "imported twice" in refused(model)
    model = shift_model()
    model.ir_version = 99
    assert "IR version 99" in refused(model, lw.UnsupportedError)


@pytest.mark.parametrize("content", [b"", b"abc", b"\x08\x0a", bytes(100), b"\xff" * 1000, b"PK\x03\x04"])
def test_not_a_model(content: bytes):
    with pytest.raises(lw.InvalidError, match="^model: not an ONNX model"):
        lw.load(content, format="onnx")


def test_wrong_nodes():
    def node(
        *inputs: str, op: str = "BitShift", outputs: tuple[str, ...] = ("z",), **attributes: object
    ) -> onnx.ModelProto:
        return graph_of([helper.make_node(op, inputs, outputs, **attributes)], x=U8, y=U8, z=U8)

    assert "node 0 (BitShift): BitShift-28: attribute direction is missing" in refused(node("x", "y"))
    assert "attribute direction is 'UP'; allowed: 'LEFT', 'RIGHT'" in refused(node("x", "y", direction="UP"))
    assert "unknown attribute 'shift'; it has: direction" in refused(node("x", "y", direction="LEFT", shift=1))
    assert "attribute direction is 3" in refused(node("x", "y", direction=3))
    assert "input Y of BitShift-28 is missing" in refused(node("x", direction="LEFT"))
    assert "3 inputs; BitShift-28 has 2: X, Y" in refused(node("x", "y", "x", direction="LEFT"))
    assert "Y is 'q', which no earlier node, input or constant defines" in refused(node("x", "q", direction="LEFT"))
    assert "has outputs ['z', 'w']; BitShift-28 has one" in refused(
        node("x", "y", outputs=("z", "w"), direction="LEFT")
    )
    assert "node 0 (Conv): Conv: lanewise has no such ONNX operator" in refused(
        node("x", "y", op="Conv"), lw.UnsupportedError
    )
    assert "node 0 (If): If: lanewise has no" in refused(node("x", op="If"), lw.UnsupportedError)
    custom = graph_of(
        [helper.make_node("BitShift", ["x", "y"], ["z"], domain="com.x", direction="LEFT")], x=U8, y=U8, z=U8
    )
    assert "operator domain 'com.x'" in refused(custom, lw.UnsupportedError)
    twice = [helper.make_node("BitShift", ["x", "y"], ["z"], direction="LEFT")] * 2
    assert "tensor 'z' is defined twice" in refused(graph_of(twice, x=U8, y=U8, z=U8))
    backwards = [
        helper.make_node("BitShift", ["t", "y"], ["z"], direction="LEFT"),
        helper.make_node("BitShift", ["x", "y"], ["t"], direction="LEFT"),
    ]
    assert "X is 't', which no earlier node" in refused(graph_of(backwards, x=U8, y=U8, z=U8))


def test_wrong_shapes():
    shapes = graph_of(
        [helper.make_node("BitShift", ["x", "y"], ["z"], direction="LEFT")],
        x=(TensorProto.UINT8, [2, 3]),
        y=(TensorProto.UINT8, [4]),
        z=(TensorProto.UINT8, [2, 3]),
    )
    assert "X has shape [2, 3] and Y has shape [4]: axis -1 has 3 and 4; broadcasting" in refused(shapes)
    assert "graph output 'z' is declared uint8[5], but node 0 (BitShift 'hash') computes uint8[4]" in refused(
        shift_model(out_shape=[5])
    )
    negative = shift_model()
    negative.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -4
    assert "input 'x': shape has the dimension -4" in refused(negative)
    typed = shift_model()
    typed.graph.output[0].type.tensor_type.elem_type = TensorProto.INT8
    assert "graph output 'z' is declared int8, but node 0 (BitShift 'hash') computes uint8" in refused(typed)
    inside = shift_model()
    inside.graph.value_info.append(helper.make_tensor_value_info("z", TensorProto.UINT8, [9]))
    assert "tensor 'z' is declared uint8[9], but node 0 (BitShift 'hash') computes uint8[4]" in refused(inside)


def test_wrong_inputs_of_a_run():
    model = load(shift_model())

    def wrong(*inputs: object) -> str:
        with pytest.raises(lw.InvalidError) as caught:
            model.run(*inputs)
        outcome = model.run(*inputs, on_error="status")
        assert outcome.status is lw.Status.ERROR
        assert str(outcome.error) == str(caught.value)
        return str(caught.value)

    assert wrong({"q": 1}) == "model: no input 'q'; the graph has: x"
    assert wrong({}) == "model, input 'x' is missing; it is uint8[4]"
    assert wrong() == "model: 0 inputs are given; the graph has 1: x"
    assert "has dtype int64; the graph declares uint8" in wrong({"x": np.arange(4)})
    assert "has shape [3]; the graph declares uint8[4]" in wrong({"x": np.zeros(3, np.uint8)})


def test_open_dimensions_take_any_size_but_one_size_each():
    kind = (TensorProto.UINT8, ["n"])
    model = load(graph_of([helper.make_node("BitShift", ["x", "y"], ["z"], direction="LEFT")], x=kind, y=kind, z=kind))
    assert model.run(np.ones(3, np.uint8), np.ones(3, np.uint8)).outputs["z"].tolist() == [2, 2, 2]
    assert model.run(np.ones(0, np.uint8), np.ones(0, np.uint8)).outputs["z"].shape == (0,)
    with pytest.raises(lw.InvalidError, match=r"has shape \[4\]; the graph declares uint8\[n\] with {'n': 3}"):
        model.run(np.ones(3, np.uint8), np.ones(4, np.uint8))


def test_limits():
    assert "needs 4 bytes; the limit is 3" in refused(shift_model(), max_tensor_bytes=3)
    nodes = [helper.make_node("BitShift", ["x", "y"], ["z"], direction="LEFT")]
    assert "1 nodes; the limit is 0 (max_nodes)" in refused(graph_of(nodes, x=U8, y=U8, z=U8), max_nodes=0)
    model = load(shift_model())
    with pytest.raises(lw.InvalidError, match="the run needs 12 bytes of tensors; the limit is 11"):
        model.run(np.zeros(4, np.uint8), max_tensor_bytes=11)


def function_model(bodies: dict[str, list[str]], start: str) -> onnx.ModelProto:
    """Functions of one input that call each other in a row."""
    model = graph_of([helper.make_node(start, ["x"], ["z"], domain="own")], x=U8, z=U8)
    model.opset_import.append(helper.make_opsetid("own", 1))
    for name, calls in bodies.items():
        nodes, at = [], "a"
        for k, call in enumerate(calls):
            following = f"t{k}" if k + 1 < len(calls) else "b"
            domain = "" if call == "BitwiseNot" else "own"
            nodes.append(helper.make_node(call, [at], [following], domain=domain))
            at = following
        imports = [helper.make_opsetid("", 28), helper.make_opsetid("own", 1)]
        model.functions.append(helper.make_function("own", name, ["a"], ["b"], nodes, imports))
    return model


def test_functions_of_the_model_are_expanded():
    model = load(function_model({"F": ["G", "G", "BitwiseNot"], "G": ["BitwiseNot"]}, "F"))
    assert model.run(np.array([1, 2, 3, 4], np.uint8)).outputs["z"].tolist() == [254, 253, 252, 251]


@pytest.mark.parametrize("bodies", [{"F": ["F"]}, {"F": ["G"], "G": ["H", "F"], "H": ["BitwiseNot"]}])
def test_recursive_functions_are_refused(bodies: dict[str, list[str]]):
    # https://github.com/onnx/onnx/pull/7815
    assert "recursive function definition: F → " in refused(function_model(bodies, "F"))


def test_recursion_through_a_branch_is_refused():
    model = function_model({"F": ["BitwiseNot"]}, "F")
    inner = helper.make_graph([helper.make_node("F", ["a"], ["q"], domain="own")], "branch", [], [])
    model.functions[0].node.append(helper.make_node("If", ["a"], ["q"], then_branch=inner))
    assert "recursive function definition: F → F" in refused(model)


def test_functions_that_explode_are_refused():
    bodies = {f"F{k}": [f"F{k + 1}"] * 10 for k in range(30)} | {"F30": ["BitwiseNot"]}
    assert "expand to more nodes than the limit" in refused(function_model(bodies, "F0"))


def test_files(tmp_path: Path):
    path = tmp_path / "m.onnx"
    path.write_bytes(shift_model().SerializeToString())
    model = lw.load(path)
    assert str(model) == (
        f"{path}: ONNX opset 28\n"
        "  input  x: uint8[4]\n"
        "  const  y: uint8[4] = [1, 1, 2, 2]\n"
        "  z = BitShift(x, y) {direction=LEFT} : uint8[4]\n"
        "  output z: uint8[4]"
    )
    again = tmp_path / "again.onnx"
    model.save(again)
    assert str(lw.load(again)).splitlines()[1:] == str(model).splitlines()[1:]
    with pytest.raises(lw.InvalidError, match="No such file"):
        lw.load(tmp_path / "missing.onnx")
    with pytest.raises(lw.InvalidError, match="is no regular file"):
        lw.load(tmp_path)
    with pytest.raises(lw.UnsupportedError, match="format 'gguf'"):
        lw.load(again.rename(tmp_path / "again.gguf"))
    with pytest.raises(lw.UnsupportedError, match="writes .onnx, .tosa and .mlir files, not .xyz"):
        model.save(tmp_path / "m.xyz")
    with pytest.raises(lw.InvalidError, match="the limit is 5"):
        lw.load(path, max_file_bytes=5)


def test_a_failed_save_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"before")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(lw.InvalidError, match="No space left"):
        load(shift_model()).save(path)
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["m.onnx"]
