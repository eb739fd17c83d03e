"""TOSA files: read, written, refused with file, place and rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats.flatbuffer import Writer
from lanewise.formats.tosa_data import decode
from lanewise.formats.tosa_schema import (
    IDENTIFIER,
    OPERATORS_0_23,
    OPERATORS_1,
    SCHEMA_0_23,
    SCHEMA_1,
    TYPES_0_23,
    TYPES_1,
    UNIONS_0_23,
    UNIONS_1,
)
from lanewise.language.sorts import i8
from tests.graph.random_graphs import Generator
from tools.fuzz_tosa import fuzz


def tensor(name: str, kind: str = "int32", shape: tuple[int, ...] = (4,), **fields: Any) -> dict[str, Any]:
    number = [str(t) for t in TYPES_0_23].index(kind)
    return {"name": name, "shape": list(shape), "type": number, **fields}


def operator(op: str, inputs: list[str], outputs: list[str], attribute: Any = None, **fields: Any) -> dict[str, Any]:
    return {"op": OPERATORS_0_23.index(op), "inputs": inputs, "outputs": outputs, "attribute": attribute, **fields}


def file(
    operators: list[dict[str, Any]],
    tensors: list[dict[str, Any]],
    inputs: list[str],
    outputs: list[str],
    version: tuple[int, int, int] = (0, 23, 0),
    **fields: Any,
) -> bytes:
    """A 0.23.0 file with exactly these parts, sensible or not."""
    block = {"name": "main", "operators": operators, "tensors": tensors, "inputs": inputs, "outputs": outputs}
    stated = dict(zip(("major", "minor", "patch"), version, strict=True))
    root = {"version": stated, "blocks": [block], **fields}
    return Writer(SCHEMA_0_23, UNIONS_0_23).root("Graph", root)


ABC = [tensor("a"), tensor("b"), tensor("c")]


def adder(**changes: Any) -> bytes:
    parts: dict[str, Any] = {
        "operators": [operator("ADD", ["a", "b"], ["c"])],
        "tensors": ABC,
        "inputs": ["a", "b"],
        "outputs": ["c"],
    }
    return file(**{**parts, **changes})


def load(content: bytes, **limits: int) -> lw.Model:
    return lw.load(content, format="tosa", **limits)


def refused(content: bytes, error: type[Exception] = lw.InvalidError, **limits: int) -> str:
    with pytest.raises(error) as caught:
        load(content, **limits)
    return str(caught.value)


def test_runs_and_prints(tmp_path: Path):
    path = tmp_path / "adder.bin"  # found by content, not by its name
    path.write_bytes(adder())
    model = lw.load(path)
    assert str(model).splitlines() == [
        f"{path}: TOSA 0.23.0",
        "  input  a: int32[4]",
        "  input  b: int32[4]",
        "  c = ADD(a, b) : int32[4]",
        "  output c: int32[4]",
    ]
    outcome = model.run(np.arange(4, dtype=np.int32), np.full(4, 2**31 - 3, np.int32))
    assert outcome.status is lw.Status.UNPREDICTABLE
    assert outcome.violations[0].index == (3,)
    assert outcome.violations[0].node == "operator 0 (ADD)"


def test_attributes_constants_and_several_outputs():
    rescale = {"multiplier": [1 << 30], "shift": [30], "scale32": True, "output_zp": 3}
    content = file(
        [
            operator("CONST", [], ["k"]),
            operator("MUL", ["a", "k"], ["m"], ("MulAttribute", {"shift": 2})),
            operator("ARITHMETIC_RIGHT_SHIFT", ["a", "k"], ["s"], ("ArithmeticRightShiftAttribute", {"round": True})),
            operator("CLAMP", ["n"], ["l"], ("ClampAttribute", {"min_int": -1, "max_int": 2})),
            operator("TABLE", ["n"], ["t"], ("TableAttribute", {"table": list(range(127, -129, -1))})),
            operator("NEGATE", ["n"], ["g"], quant_info=("UnaryQuantInfo", {"input_zp": 1, "output_zp": 2})),
            operator("RESCALE", ["m"], ["r"], ("RescaleAttribute", rescale)),
            operator("RESHAPE", ["m"], ["q"], ("ReshapeAttribute", {"shape": [2, 2]})),
            operator("CAST", ["n"], ["w"]),
        ],
        [
            tensor("a"),
            tensor("n", "int8"),
            tensor("k", shape=(1,), data=(3).to_bytes(4, "little")),
            tensor("m"),
            tensor("s"),
            tensor("l", "int8"),
            tensor("t", "int8"),
            tensor("g", "int8"),
            tensor("r", "int8"),
            tensor("q", shape=(2, 2)),
            tensor("w", "int16"),
        ],
        ["a", "n"],
        ["m", "s", "l", "t", "g", "r", "q", "w"],
    )
    outcome = load(content).run(np.array([4, 5, -6, 7], np.int32), np.array([-128, -1, 0, 127], np.int8))
    assert outcome.status is lw.Status.VALID
    assert {name: array.tolist() for name, array in outcome.outputs.items()} == {
        "m": [3, 4, -4, 5],
        "s": [1, 1, -1, 1],
        "l": [-1, -1, 0, 2],
        "t": [127, 0, -1, -128],
        "g": [127, 4, 3, -124],
        "r": [6, 7, -1, 8],
        "q": [[3, 4], [-4, 5]],
        "w": [-128, -1, 0, 127],
    }


def test_versions():
    # https://github.com/google/flatbuffers/issues/7319
    assert "model: TOSA version 0.80.0; lanewise reads 0.23.0" in refused(
        adder(version=(0, 80, 0)), lw.UnsupportedError
    )
    block = {"name": "main", "operators": [], "tensors": [], "inputs": [], "outputs": []}
    bare = Writer(SCHEMA_0_23, UNIONS_0_23).root("Graph", {"blocks": [block]})
    assert "states no TOSA version" in refused(bare)


def test_wrong_operators():
    def one(
        op: str, inputs: list[str], outputs: list[str] | None = None, attribute: Any = None, **fields: Any
    ) -> bytes:
        return adder(operators=[operator(op, inputs, ["c"] if outputs is None else outputs, attribute, **fields)])

    assert (
        refused(one("ADD", ["a"])) == "model (TOSA 0.23.0), operator 0 (ADD): lists 1 inputs; ADD has 2: input1, input2"
    )
    assert "lists 0 outputs; ADD has 1" in refused(one("ADD", ["a", "b"], []))
    assert "lists 2 outputs; ADD has 1" in refused(one("ADD", ["a", "b"], ["c", "a"]))
    assert "input2 is 'zz', which no earlier node, input or constant defines" in refused(one("ADD", ["a", "zz"]))
    assert "no tensor of that name is listed" in refused(one("ADD", ["a", "b"], ["zz"]))
    assert "has no attribute; MUL needs MulAttribute" in refused(one("MUL", ["a", "b"]))
    assert "has MulAttribute; ADD needs none" in refused(one("ADD", ["a", "b"], None, ("MulAttribute", {})))
    assert "shift holds values outside uint6" in refused(one("MUL", ["a", "b"], None, ("MulAttribute", {"shift": 64})))
    assert "operator 0 (CONV2D): CONV2D is not one of lanewise's operators" in refused(
        one("CONV2D", ["a"]), lw.UnsupportedError
    )
    for op in ("COND_IF", "WHILE_LOOP", "CUSTOM", "REDUCE_SUM", "SIGMOID"):
        assert f"operator 0 ({op}): {op} is not one of lanewise's operators" in refused(
            one(op, ["a"]), lw.UnsupportedError
        )
    unknown = operator("ADD", ["a", "b"], ["c"]) | {"op": 4000}
    assert "operator 0: unknown operator number 4000" in refused(adder(operators=[unknown]))
    twice = [operator("ADD", ["a", "b"], ["c"])] * 2
    assert "tensor 'c' is defined twice" in refused(adder(operators=twice))
    assert "tensor 'a' is defined twice" in refused(one("ADD", ["a", "b"], ["a"]))
    assert "2 operators; the limit is 1 (max_nodes)" in refused(adder(operators=twice), max_nodes=1)


def test_wrong_tensors():
    def third(**fields: Any) -> bytes:
        return adder(tensors=[*ABC[:2], tensor("c", **fields)])

    assert "operator 0 (ADD) of 'a', 'b': ADD: no row for inputs (int8, int8)" in refused(
        adder(tensors=[tensor("a", "int8"), tensor("b", "int8"), tensor("c", "int8")])
    )
    assert "is declared int8, but operator 0 (ADD) computes int32" in refused(third(kind="int8"))
    assert "is declared int32[5], but operator 0 (ADD) computes int32[4]" in refused(third(shape=(5,)))
    assert "has shape [0]; every dimension is at least 1" in refused(third(shape=(0,)))
    assert "has shape [-4]; every dimension is at least 1" in refused(third(shape=(-4,)))
    assert "has rank 65; the limit is 64" in refused(third(shape=(1,) * 65))
    assert "tensor 'a' is listed twice" in refused(adder(tensors=[*ABC, tensor("a")]))
    assert "graph input 'a' is listed twice" in refused(adder(inputs=["a", "a"]))
    assert "graph output 'zz': no tensor of that name" in refused(adder(outputs=["zz"]))
    assert "the graph has no outputs" in refused(adder(outputs=[]))
    assert "has the unknown element type number 77" in refused(
        adder(tensors=[*ABC[:2], {"name": "c", "shape": [4], "type": 77}])
    )
    # https://github.com/tensorflow/tflite-micro/issues/3072
    huge = (2147483647, 2147483647)
    assert "the limit is 4,294,967,296 bytes (max_tensor_bytes)" in refused(
        adder(tensors=[tensor("a", shape=huge), tensor("b", shape=huge), tensor("c", shape=huge)])
    )


def test_wrong_constants():
    def constant(**fields: Any) -> bytes:
        return file([operator("CONST", [], ["k"])], [tensor("k", **fields)], [], ["k"])

    assert load(constant(data=bytes(16))).run().outputs["k"].tolist() == [0, 0, 0, 0]
    # https://github.com/halide/Halide/pull/9216
    assert "shape [4] of int32 needs 16 bytes; the file has 15" in refused(constant(data=bytes(15)))
    assert "needs 16 bytes; the file has 0" in refused(constant())
    assert "holds the byte 7 as a boolean" in refused(constant(kind="bool", data=bytes([0, 1, 7, 1])))
    assert "CONST: no row for inputs () -> uint8" in refused(constant(kind="uint8", data=bytes(4)))
    assert "needs 16 bytes; the limit is 8 (max_tensor_bytes)" in refused(constant(data=bytes(16)), max_tensor_bytes=8)


def test_broken_buffers():
    whole = adder()
    # https://github.com/tensorflow/tensorflow/pull/120175
    assert "broken flatbuffer: an offset leads outside the file" in refused(bytes.fromhex("18000000544f5341"))
    for content in (b"", b"\0", whole[:20], whole[: len(whole) // 2], b"\xff" * 64, bytes(64)):
        assert refused(content).startswith("model: ")
    for cut in range(0, len(whole), 7):
        assert refused(whole[:cut]).startswith("model: ")


def test_shared_parts_do_not_unfold():
    """A thousand entries that all lead to one large list must not become a thousand lists."""
    from flatbuffers import Builder

    builder = Builder(1024)
    name = builder.CreateString("x" * 4000)
    builder.StartVector(4, 4000, 4)
    for _ in range(4000):
        builder.PrependUOffsetTRelative(name)
    names = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(3, names, 0)
    block = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(block)
    blocks = builder.EndVector()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(1, blocks, 0)
    builder.Finish(builder.EndObject())
    assert "shared so often that they unfold beyond the file's size" in refused(bytes(builder.Output()))


@pytest.mark.parametrize("version", ["0.23.0", "1.0", "1.1"])
@pytest.mark.parametrize("seed", range(40))
def test_written_and_read_again(seed: int, version: str, tmp_path: Path):
    model, inputs = Generator("tosa", seed, version).model(1 + seed % 8)
    path = tmp_path / "m.tosa"
    try:
        model.save(path)
    except lw.UnsupportedError as error:
        assert "files do not have" in str(error) or "has no field" in str(error)
        return
    again = lw.load(path)
    before, after = model.run(inputs), again.run(inputs)
    assert before.status is after.status
    for name, array in before.outputs.items():
        assert array.tobytes() == after.outputs[name].tobytes()
    again.save(tmp_path / "n.tosa")
    assert (tmp_path / "n.tosa").read_bytes() == path.read_bytes()


def test_what_no_file_can_hold(tmp_path: Path):
    graph = lw.Builder(onnx=28)
    graph.output("z", graph.node("BitwiseNot", graph.input("x", "uint8", (2,))))
    with pytest.raises(lw.UnsupportedError, match="an ONNX graph does not go into a TOSA file"):
        graph.model().save(tmp_path / "m.tosa")
    graph = lw.Builder(tosa="0.23.0")
    graph.output("z", graph.node("BITWISE_NOT", graph.input("x", "int8", ("n",))))
    with pytest.raises(lw.UnsupportedError, match="a TOSA file needs every dimension"):
        graph.model().save(tmp_path / "m.tosa")
    assert not list(tmp_path.iterdir())


def test_an_attribute_without_a_field_is_not_dropped(tmp_path: Path):
    graph = lw.Builder(tosa="1.1")
    graph.output("y", graph.node("CAST", graph.input("x", "int8", (2,)), output_type="int32", input_unsigned=True))
    with pytest.raises(lw.UnsupportedError, match="input_unsigned is True; the file format has no field for it"):
        graph.model().save(tmp_path / "m.tosa")


def test_shapes_are_constants():
    graph = lw.Builder(tosa="1.1")
    graph.output("y", graph.node("RESHAPE", graph.input("x", "int8", (2,)), graph.input("s", "int64", (1,))))
    with pytest.raises(
        lw.InvalidError, match="RESHAPE: shape is the tensor 's'; it is a shape, a constant of the graph"
    ):
        graph.model()


def test_numbers_of_1_x_are_the_schemas():
    assert OPERATORS_1[15] == "ADD"
    assert OPERATORS_1[75] == "CONST_SHAPE"
    assert str(TYPES_1[17]) == "int64"
    assert set(UNIONS_1["Attribute"]) <= set(SCHEMA_1)
    assert IDENTIFIER == b"TOSA"


def test_data_may_be_filled_up_with_zeros():
    """To a multiple of eight bytes, and an empty list to eight, as the public writer does."""
    for count, zeros, good in ((0, 0, True), (0, 8, True), (0, 16, False), (3, 5, True), (3, 6, False), (8, 8, False)):
        data = bytes(range(1, count + 1)) + bytes(zeros)
        if good:
            assert decode(data, i8, (count,), 100, "x").tolist() == list(range(1, count + 1))
        else:
            with pytest.raises(lw.InvalidError, match=f"needs {count} bytes; the file has {count + zeros}"):
                decode(data, i8, (count,), 100, "x")
    with pytest.raises(lw.InvalidError, match="needs 0 bytes; the file has 8"):
        decode(bytes(7) + b"\1", i8, (0,), 100, "x")


def absolute(shape: tuple[int, ...]) -> lw.Model:
    graph = lw.Builder(tosa="1.0", name="absolute")
    graph.output("y", graph.node("ABS", graph.input("x", "float32", shape)))
    return graph.model()


def test_levels_and_profiles_of_files(tmp_path: Path):
    path = tmp_path / "m.tosa"
    absolute((1, 1, 1, 1, 1, 1, 2)).save(path)
    assert lw.load(path, level="none", profile="PRO-FP").level == "none"
    with pytest.raises(
        lw.InvalidError, match=r"tensor 'x' is float32\[1, 1, 1, 1, 1, 1, 2\], rank 7; level 8K allows up to 6"
    ):
        lw.load(path, level="8K")
    absolute((1 << 29, 1)).save(path)
    with pytest.raises(lw.InvalidError, match="2,147,483,648 bytes; level 8K allows up to 2,147,483,647"):
        lw.load(path, level="8K")
    with pytest.raises(lw.InvalidError, match="ABS: profile PRO-INT,EXT-INT16 has no row for"):
        lw.load(path, profile="PRO-INT,EXT-INT16")
    with pytest.raises(lw.InvalidError, match="level is '9K'; TOSA 1.0 has 8K, none"):
        lw.load(path, level="9K")
    path.write_bytes(adder())
    with pytest.raises(lw.InvalidError, match="level is '8K'; TOSA 0.23.0 has no levels"):
        lw.load(path, level="8K")


def test_mutated_files():
    results = fuzz(500, seed=1)
    assert results["wrong"] == 0
    assert results["ran"] > 5
    assert results["refused"] > 100


def test_operands_may_repeat_into_a_larger_result_at_0_23_0():
    """Broadcasting is written from the result back to the operands there, and later releases forbid it."""
    one, five = (1,), (5,)
    kinds = [tensor("a", shape=one), tensor("b", shape=one), tensor("c", shape=five), tensor("d", shape=five)]
    twice = [operator("ADD", ["a", "b"], ["c"]), operator("BITWISE_NOT", ["c"], ["d"])]
    model = load(adder(operators=twice, tensors=kinds, outputs=["c", "d"]))
    for engine in ("native", "exact"):
        outcome = model.run(np.array([2], np.int32), np.array([3], np.int32), engine=engine)
        assert outcome.outputs["c"].tolist() == [5] * 5
        assert outcome.outputs["d"].tolist() == [-6] * 5
    broken = model.run(np.array([2**31 - 1], np.int32), np.array([1], np.int32), on_unpredictable="mask")
    assert broken.violations[0].count == 5
    assert broken.unpredictable["d"].tolist() == [True] * 5
    two = [tensor("a", shape=(2,)), tensor("b", shape=(2,)), tensor("c", shape=five)]
    assert "is declared int32[5], but operator 0 (ADD) computes int32[2]" in refused(adder(tensors=two))


# -- names and kinds of tensors -------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.23.0", "1.0", "1.1"])
@pytest.mark.parametrize("kind", ["computed", "constant"])
def test_an_inner_tensor_may_have_the_name_of_an_output(version: str, kind: str, tmp_path: Path):
    """A file has one tensor by a name; the inner one gets another."""
    graph = lw.Builder(tosa=version)
    a = graph.input("a", "int32", (2,))
    y = graph.node("ADD", a, a, name="y") if kind == "computed" else graph.constant(np.int32([5, 6]), name="y")
    graph.output("y", graph.node("ADD", y, a, name="y'"))
    model = graph.model()
    model.save(tmp_path / "m.tosa")
    again = lw.load(tmp_path / "m.tosa")
    assert list(again.outputs) == ["y"]
    x = np.int32([10, 20])
    assert again.run(x).outputs["y"].tolist() == model.run(x).outputs["y"].tolist()


@pytest.mark.parametrize("version", ["0.23.0", "1.1"])
def test_an_output_that_has_an_inputs_name_and_is_another_tensor(version: str, tmp_path: Path):
    graph = lw.Builder(tosa=version)
    a = graph.input("a", "int32", (2,))
    graph.output("a", graph.node("ADD", a, a))
    with pytest.raises(lw.UnsupportedError, match="graph output 'a' has the name of a graph input and is another"):
        graph.model().save(tmp_path / "m.tosa")
    assert not (tmp_path / "m.tosa").exists()


def test_arguments_kept_as_attributes_take_no_name_from_a_tensor():
    """0.23.0 keeps MUL's shift as an attribute; here a tensor has the name that its constant would get."""
    kinds = [tensor("a"), tensor("c.shift"), tensor("c")]
    content = adder(
        operators=[
            operator("ADD", ["a", "a"], ["c.shift"]),
            operator("MUL", ["c.shift", "a"], ["c"], ("MulAttribute", {"shift": 0})),
        ],
        tensors=kinds,
        inputs=["a"],
    )
    assert load(content).run(np.int32([1, 2, 3, 4])).outputs["c"].tolist() == [2, 8, 18, 32]


def file_1(
    operators: list[tuple[str, list[str], list[str]]],
    tensors: dict[str, tuple[str, tuple[int, ...], bytes | None]],
    inputs: list[str],
    outputs: list[str],
    shapes: dict[str, list[int]],
    version: tuple[int, int, int] = (1, 1, 0),
) -> bytes:
    """A 1.x file with exactly these parts."""
    names = [str(kind) for kind in TYPES_1]
    block = {
        "name": "main",
        "operators": [
            {"op": OPERATORS_1.index(op), "inputs": taken, "outputs": made, "attribute": (op, {})}
            for op, taken, made in operators
        ],
        "tensors": [
            {"name": name, "shape": list(shape), "type": names.index(kind), "data": data}
            for name, (kind, shape, data) in tensors.items()
        ],
        "inputs": inputs,
        "outputs": outputs,
        "shapes": [
            {"name": name, "rank": len(sizes), "data": np.array(sizes, "<i8").tobytes()}
            for name, sizes in shapes.items()
        ],
    }
    stated = dict(zip(("major", "minor", "patch"), version, strict=True))
    root = {"version": stated, "regions": [{"name": "main", "blocks": [block]}]}
    return Writer(SCHEMA_1, UNIONS_1).root("Graph", root, IDENTIFIER)


def test_shapes_are_no_tensors_and_tensors_no_shapes():
    two = np.array([2], "<i8").tobytes()
    shape_added = file_1(
        [("CONST_SHAPE", [], ["s"]), ("ADD", ["s", "s"], ["c"])], {"c": ("int64", (1,), None)}, [], ["c"], {"s": [2]}
    )
    assert "operator 1 (ADD): input1 is 's', a shape (a result of CONST_SHAPE); it is a tensor" in refused(shape_added)
    tensors = {"a": ("int32", (2,), None), "t": ("int64", (1,), two), "c": ("int32", (2,), None)}
    from_tensor = file_1([("CONST", [], ["t"]), ("RESHAPE", ["a", "t"], ["c"])], tensors, ["a"], ["c"], {})
    assert "shape is the tensor 't'; it is a shape, a result of CONST_SHAPE" in refused(from_tensor)


def test_one_constant_for_several_uses(tmp_path: Path):
    """Python and ONNX know one constant that is a shape, an operand, and a result; a file needs one of each kind."""
    graph = lw.Builder(tosa="1.1")
    a, s = graph.input("a", "int64", (2, 1)), graph.constant(np.int64([1, 2]), name="s")
    flat = graph.node("RESHAPE", a, s)
    graph.output("sum", graph.node("ADD", flat, graph.node("RESHAPE", s, s)))
    graph.output("s", s)
    graph.output("shape", s)
    model = graph.model()
    model.save(tmp_path / "m.tosa")
    again = lw.load(tmp_path / "m.tosa")
    found = again.run(np.int64([[7], [8]])).outputs
    assert {name: array.tolist() for name, array in found.items()} == {
        "sum": [[8, 10]],
        "s": [1, 2],
        "shape": [1, 2],
    }
    again.save(tmp_path / "again.tosa")
    assert str(lw.load(tmp_path / "again.tosa")).splitlines()[1:] == str(again).splitlines()[1:]


def test_control_flow_is_refused_by_name():
    block = {
        "name": "main",
        "operators": [{"op": OPERATORS_1.index("COND_IF"), "inputs": ["a"], "outputs": ["c"]}],
        "tensors": [],
        "inputs": [],
        "outputs": [],
        "shapes": [],
    }
    region = {"name": "main", "blocks": [block]}
    root = {"version": {"major": 1, "minor": 0, "patch": 0}, "regions": [region, region, region]}
    content = Writer(SCHEMA_1, UNIONS_1).root("Graph", root, IDENTIFIER)
    assert "operator 0 (COND_IF): COND_IF is not one of lanewise's operators" in refused(content, lw.UnsupportedError)


def test_int64_does_not_exist_at_1_0():
    tensors = {"a": ("int64", (2,), None), "b": ("int32", (2,), None)}
    content = file_1([], tensors, ["a", "b"], ["b"], {}, version=(1, 0, 0))
    assert "graph input 'a': tensor 'a' has element type INT64, which TOSA 1.0 has not" in refused(content)


def test_an_identifier_of_another_version():
    content = file_1([], {"a": ("int32", (2,), None)}, ["a"], ["a"], {}, version=(0, 23, 0))
    assert "says TOSA 0.23.0, but has the file identifier of 1.x files" in refused(content)


def test_quantisation_that_the_operator_has_not():
    entry = operator("ADD", ["a", "b"], ["c"], quant_info=("UnaryQuantInfo", {"input_zp": 1, "output_zp": 0}))
    assert "operator 0 (ADD): has UnaryQuantInfo; ADD has none" in refused(adder(operators=[entry]))


def test_content_goes_before_the_ending(tmp_path: Path):
    (tmp_path / "adder.mlir").write_bytes(adder())
    assert lw.load(tmp_path / "adder.mlir").version == "0.23.0"


@pytest.mark.parametrize("asked", ["profile", "level"])
def test_an_empty_name_is_no_profile_and_no_level(asked: str, tmp_path: Path):
    absolute((2,)).save(tmp_path / "m.tosa")
    with pytest.raises(lw.InvalidError, match=f"{asked} is ''"):
        lw.load(tmp_path / "m.tosa", **{asked: ""})
