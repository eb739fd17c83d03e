"""ONNX to TOSA: every rule against its operator, as a definition and as a graph, whole graphs, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lanewise.engines.claim import Claim
from lanewise.engines.exact_kernel import from_patterns
from lanewise.engines.native.kernel import kernel
from lanewise.graph.build import Builder
from lanewise.graph.model import Model
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.sorts import Sort, boolean, f16, f32, i8, i32, i64, u8, u16, u32
from lanewise.language.words import Function, trace
from lanewise.lowering.lower import Lowered, lower_graph
from lanewise.lowering.onnx_to_tosa import OnnxToTosa
from lanewise.lowering.onnx_to_tosa.direction import NAMES
from lanewise.lowering.rule import Refused, Source
from lanewise.lowering.steps import ValueSteps
from lanewise.operators import catalogue
from lanewise.proof.verdict import counterexample
from tests.graph.random_graphs import Generator
from tests.lowering.test_tosa_releases import columns
from tests.operators.battery import interesting

TARGETS = [("0.23.0", None), ("0.23.0", "pairs"), ("1.0", None), ("1.0", "pairs"), ("1.1", None), ("1.1", "pairs")]
DIRECTIONS = {f"{version}{f' {wide}' if wide else ''}": OnnxToTosa(version, wide) for version, wide in TARGETS}
INSTANCES = {title: list(direction.instances()) for title, direction in DIRECTIONS.items()}


def fault(source: Function, target: Function) -> str | None:
    """What speaks against a theorem: every input of up to 16 bits is tried, else boundaries and random ones."""
    claim = Claim(source, target)
    tried = columns(list(claim.inputs))
    arrays = [from_patterns(column, sort) for column, sort in zip(tried, claim.inputs, strict=True)]
    (good,), _ = kernel(claim.verdict)(arrays, (len(tried[0]),))
    if good.all():
        return None
    first = int(np.argmin(good))
    return str(counterexample(source, target, tuple(column[first] for column in tried)))


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_its_operator(name):
    seen = set()
    for title, direction in DIRECTIONS.items():
        for source in INSTANCES[title]:
            if source.operator.name != name:
                continue
            theorems = [(direction, source)]
            if (narrow := direction.narrowed(source)) is not None:
                theorems.append(narrow)
            for place, node in theorems:
                pair = node.function(), place.lowered(node)
                key = (pair[0].results, pair[1].results, pair[1].requirements)
                if key not in seen:
                    seen.add(key)
                    assert (found := fault(*pair)) is None, f"{title}: {node.label}\n{found}"
    assert seen


def numbers(source: Source, shapes: list[tuple[int, ...]]) -> list[np.ndarray | None]:
    """Operands that meet the source's premise, as far as it has one."""
    generator = np.random.default_rng(3)
    arrays: list[np.ndarray | None] = []
    for k, (sort, shape) in enumerate(zip(source.types, shapes, strict=True)):
        if not isinstance(sort, Sort):
            arrays.append(None)
            continue
        edges = [5, 3, 2] if k == 1 and source.premise is not None else interesting(sort)
        chosen = generator.choice(np.array(edges, np.uint64), shape)
        arrays.append(from_patterns(chosen.ravel().tolist(), sort).reshape(shape))
    return arrays


def one_node(source: Source) -> tuple[Model, dict[str, np.ndarray]]:
    """A graph of that node, whose operands broadcast and differ in rank."""
    builder = Builder(onnx=max(int(source.operator.release.since), 1))
    same_shape = source.operator.shape.__name__ in ("same_shape", "legacy_broadcast")
    scalars = {k for k in range(len(source.types)) if source.operator.argument(k).ranks == (0, 0)}
    shapes: list[tuple[int, ...]] = [
        () if k in scalars else (2, 3) if same_shape else [(2, 1, 3), (3,), (2, 1)][k] for k in range(len(source.types))
    ]
    arrays = numbers(source, shapes)
    operands = []
    for k, (sort, array) in enumerate(zip(source.types, arrays, strict=True)):
        if array is None:
            operands.append(None)
        elif k == 1 and source.premise is not None:
            operands.append(builder.constant(array, sort, "fixed"))
        else:
            operands.append(builder.input(f"x{k}", sort.name, array.shape))
    given = {name: value for name, value in source.attributes.items() if value is not None}
    keywords = {name: value.name if isinstance(value, Sort) else value for name, value in given.items()}
    builder.output("z", builder.node(source.operator.name, *operands, **keywords))
    return builder.model(), {f"x{k}": a for k, a in enumerate(arrays) if a is not None and f"x{k}" in builder._inputs}


def assert_same(model: Model, lowered: Lowered, inputs: dict[str, np.ndarray], engine: str = "native") -> None:
    before = model.run(inputs, engine=engine)
    after = lowered.model.run(lowered.encode(inputs), engine=engine)
    assert not after.violations
    for name, array in lowered.decode(after.outputs).items():
        want = before.outputs[name]
        assert array.dtype == want.dtype and array.shape == want.shape
        same = np.asarray(array).tobytes() == np.asarray(want).tobytes()
        assert same or np.array_equal(array, want, equal_nan=True), f"{name}: {array} is not {want}\n{lowered.report}"


@pytest.mark.parametrize("title", ["0.23.0 pairs", "1.0", "1.1"])
def test_every_rule_as_a_graph(title):
    seen = set()
    for source in INSTANCES[title]:
        key = source.operator.name, len(source.types), source.types[-1], source.output, source.premise is None
        if key in seen or source.operator is not catalogue.find("onnx", source.operator.name, 28):
            continue
        seen.add(key)
        model, inputs = one_node(source)
        lowered = lower_graph(model, DIRECTIONS[title])
        assert lowered.report.steps[0].source == source.label
        assert_same(model, lowered, inputs, "exact")
    assert len(seen) > 200


@pytest.mark.parametrize("title", ["0.23.0 pairs", "1.0 pairs", "1.1"])
def test_random_graphs(title):
    made = 0
    for seed in range(80):
        model, inputs = Generator("onnx", seed).model(1 + seed % 4)
        try:
            lowered = lower_graph(model, DIRECTIONS[title])
        except Refused:
            continue
        made += 1
        assert_same(model, lowered, inputs)
    assert made >= 20


# -- what the rules are made of -----------------------------------------------------------


def graph(name: str, types: list[str], opset: int = 28, shape: tuple[int, ...] = (4,), **attributes: object) -> Model:
    builder = Builder(onnx=opset)
    operands = [builder.input(f"x{k}", sort, shape) for k, sort in enumerate(types)]
    builder.output("z", builder.node(name, *operands, **attributes))
    return builder.model()


def steps(title: str, name: str, types: list[str], **attributes: object) -> Counter[str]:
    lowered = lower_graph(graph(name, types, **attributes), DIRECTIONS[title])
    return Counter(node.operator.name for node in lowered.model.nodes)


def test_rules_are_short():
    right = Counter(BITWISE_AND=1, CAST=1, SELECT=1, ARITHMETIC_RIGHT_SHIFT=1)
    left = Counter(BITWISE_AND=2, CAST=1, SELECT=1, LOGICAL_LEFT_SHIFT=1)
    for title in ("0.23.0", "1.0", "1.1"):
        for sort in ("int8", "int16", "int32"):
            assert steps(title, "BitShift", [sort] * 2, direction="RIGHT") == right
            assert steps(title, "BitShift", [sort] * 2, direction="LEFT") == left
        assert steps(title, "BitwiseNot", ["uint8"]) == Counter(BITWISE_NOT=1)
        assert steps(title, "Max", ["int32"] * 3) == Counter(MAXIMUM=2)
        assert steps(title, "Neg", ["int32"]) == Counter(MUL=1)
        assert steps(title, "Add", ["int32"] * 2).total() == 6
        assert steps(title, "Sub", ["uint32"] * 2).total() == 5
    assert steps("1.1", "BitShift", ["int64"] * 2, direction="RIGHT") == right
    assert steps("0.23.0 pairs", "Mul", ["uint64"] * 2)["MUL"] == 7


def test_constants_shorten_a_rule():
    def lowered(name: str, fixed: list[int], **attributes: object) -> list[str]:
        builder = Builder(onnx=28)
        x = builder.input("x", "int32", (2,))
        builder.output("z", builder.node(name, x, builder.constant(np.array(fixed, np.int32)), **attributes))
        return [node.operator.name for node in lower_graph(builder.model(), DIRECTIONS["1.0"]).model.nodes]

    assert lowered("BitShift", [0, 31], direction="RIGHT") == ["ARITHMETIC_RIGHT_SHIFT"]
    assert lowered("BitShift", [1, 31], direction="LEFT") == ["LOGICAL_LEFT_SHIFT"]
    assert len(lowered("BitShift", [0, 32], direction="LEFT")) == 5
    assert len(lowered("BitShift", [-1, 3], direction="RIGHT")) == 4
    assert lowered("Div", [3, -2]) == ["INTDIV"]
    assert len(lowered("Div", [3, -1])) == len(lowered("Div", [3, 0])) == 6


def claimed(rule, source: Source, version: str = "1.0") -> str | None:
    """What speaks against a rule of someone else's."""
    t = ValueSteps("tosa", version)
    return fault(source.function(), trace(lambda *operands: rule(t, *operands), source.types, source.output))


def node(name: str, *types: Sort, output: Sort | None = None, **attributes: object) -> Source:
    record = catalogue.find("onnx", name, 28)
    return Source(record, types, output or types[-1], record.read_attributes(attributes))


def test_wrong_rules_are_seen():
    shift = node("BitShift", i8, i8, direction="RIGHT")
    found = claimed(lambda t, x, y: t("ARITHMETIC_RIGHT_SHIFT", x, t("BITWISE_AND", y, 7)), shift)
    assert found is not None and "breaks" not in found  # counts masked by the width less 1

    def chosen_after(t, x, y):
        shifted = t("ARITHMETIC_RIGHT_SHIFT", x, y)
        outside = t("CAST", t("BITWISE_AND", y, -8), output_type="bool")
        return t("SELECT", outside, t("ARITHMETIC_RIGHT_SHIFT", x, 7), shifted)

    found = claimed(chosen_after, shift)
    assert found is not None and 'breaks "0 <= input2 <= 7"' in found
    found = claimed(lambda t, a, b: t("ADD", a, b), node("Add", i32, i32))
    assert found is not None and 'breaks "input1 + input2 fits int32"' in found
    found = claimed(lambda t, a, b: t("INTDIV", a, b), node("Div", i32, i32))
    assert found is not None and 'breaks "input1 / input2 <= 2147483647"' in found
    found = claimed(lambda t, a, b: t("INTDIV", a, t("MAXIMUM", b, 1)), node("Div", i32, i32))
    assert found is not None and "breaks" not in found
    found = claimed(lambda t, a, b: t("MAXIMUM", a, b), node("Max", f32, f32))
    assert found is not None and "-0.0" in found
    found = claimed(lambda t, a: t("CAST", a, output_type="int32"), node("Cast", f16, output=i32, to="int32"), "0.23.0")
    assert found is not None  # rounds to the nearest
    found = claimed(lambda t, a, b: t("GREATER", a, b), replace(node("Greater", i32, i32, output=boolean)))
    assert found is None


# -- whole graphs -------------------------------------------------------------------------


@pytest.mark.parametrize("title", DIRECTIONS)
def test_moving_nodes(title):
    builder = Builder(onnx=28)
    x = builder.input("x", "uint16", (2, 3))
    scalar = builder.input("s", "uint16", ())
    wide = builder.node("Unsqueeze", x, builder.constant(np.array([0, 2], np.int64)))
    flat = builder.node("Reshape", wide, builder.constant(np.array([3, -1], np.int64)))
    back = builder.node("Squeeze", wide, builder.constant(np.array([0], np.int64)))
    builder.output("flat", flat)
    builder.output("many", builder.node("Expand", back, builder.constant(np.array([4, 2, 5, 3], np.int64))))
    builder.output("sum", builder.node("BitwiseXor", builder.node("Identity", flat), scalar))
    model = builder.model()
    inputs = {"x": np.arange(6, dtype=np.uint16).reshape(2, 3) * 10007, "s": np.array(40000, np.uint16)}
    lowered = lower_graph(model, DIRECTIONS[title])
    assert_same(model, lowered, inputs)
    assert [step.proof for step in lowered.report.steps[:5]] == ["moves elements only"] * 5
    ranks = {len(kind.shape or ()) for kind in lowered.model.types.values()}
    assert ranks >= {0, 2, 3, 4}


@pytest.mark.parametrize("title", ["0.23.0 pairs", "1.0 pairs", "1.1"])
def test_names_of_words_do_not_collide(title):
    builder = Builder(onnx=28)
    x, other = builder.input("x", "int64", (3,)), builder.input("x.high", "int32", (3,))
    low = builder.input("constant0", "uint8", (1,))
    builder.output("z", builder.node("Add", x, builder.constant(np.int64(-1), name="tensor0")))
    builder.output("z.low", builder.node("BitwiseOr", other, builder.node("Cast", low, to="int32")))
    builder.output("fixed", builder.constant(np.array([7, -7]), name="x.low"))
    model = builder.model()
    inputs = {
        "x": np.array([-(1 << 63), 1 << 32, 0]),
        "x.high": np.array([1, 2, -3], np.int32),
        "constant0": np.array([200], np.uint8),
    }
    assert_same(model, lower_graph(model, DIRECTIONS[title]), inputs)


def test_the_report_names_profiles_interfaces_and_bounds():
    lowered = lower_graph(graph("Add", ["int64"] * 2), DIRECTIONS["1.1"])
    assert lowered.report.notes == ["the lowered graph needs PRO-INT,EXT-INT64 at TOSA 1.1"]
    assert lowered.report.exact and not lowered.report.changes
    lowered = lower_graph(graph("Add", ["uint64"] * 2), DIRECTIONS["1.0 pairs"])
    assert lowered.report.notes == ["the lowered graph needs PRO-INT at TOSA 1.0"]
    assert lowered.inputs["x0"][1] == ("x0.high", "x0.low")
    assert lowered.report.changes[0].change == "uint64 as two int32 tensors, the high and the low word"
    lowered = lower_graph(graph("Mul", ["bfloat16"] * 2), DIRECTIONS["1.1"])
    assert lowered.report.notes == ["the lowered graph needs PRO-INT,EXT-BF16 at TOSA 1.1"]
    assert lowered.report.steps[0].bound == "each result is within 1 ulp, and subnormal numbers may be taken as zeros"
    assert not lowered.report.exact
    lowered = lower_graph(graph("Max", ["float32"] * 2), DIRECTIONS["0.23.0"])
    assert lowered.report.notes == ["the lowered graph needs MI at TOSA 0.23.0"]
    assert lowered.report.steps[0].bound == "0.23.0 contradicts itself on NaN, and is silent on subnormal numbers"
    assert lower_graph(graph("Cast", ["uint8"], to="float32"), DIRECTIONS["1.0"]).report.exact
    assert not lower_graph(graph("Cast", ["uint16"], to="float16"), DIRECTIONS["1.0"]).report.exact
    mixed = lower_graph(graph("Cast", ["float32"], to="int8"), DIRECTIONS["1.0"])
    assert mixed.report.notes == ["the lowered graph needs PRO-INT,PRO-FP at TOSA 1.0"]


@pytest.mark.parametrize("sort", ["float16", "bfloat16"])
def test_a_note_says_what_files_cannot_hold(sort, tmp_path):
    note = f"a .tosa file of 0.23.0 cannot hold {sort}; to save the graph, lower to version 1.0, whose files can"
    lowered = lower_graph(graph("Max", [sort] * 2), DIRECTIONS["0.23.0"])
    assert note in lowered.report.notes
    with pytest.raises(LanewiseError, match=f"is {sort}, which TOSA 0.23.0 files do not have; files of 1.0 have it"):
        lowered.model.save(tmp_path / "z.tosa")
    lowered = lower_graph(graph("Max", [sort] * 2), DIRECTIONS["1.0"])
    assert note not in lowered.report.notes
    lowered.model.save(tmp_path / "z.tosa")


@pytest.mark.parametrize("title", ["1.0", "1.1"])
def test_the_profile_named_is_enough(title):
    for source in [s for s in INSTANCES[title] if s.premise is None and s.attributes.get("fmod", 1)][::7]:
        if source.operator is not catalogue.find("onnx", source.operator.name, 28):
            continue
        lowered = lower_graph(one_node(source)[0], DIRECTIONS[title])
        profile = lowered.report.notes[0].removeprefix("the lowered graph needs ").split(" at ")[0]
        replace(lowered.model, profile=profile).check()
        for name in profile.split(",") if "," in profile else ():
            fewer = ",".join(part for part in profile.split(",") if part != name)
            with pytest.raises(InvalidError):
                replace(lowered.model, profile=fewer).check()


# -- refusals -----------------------------------------------------------------------------


def refused(model: Model, title: str, **shapes: tuple[int, ...]) -> str:
    with pytest.raises(Refused) as caught:
        lower_graph(model, DIRECTIONS[title], shapes)
    return str(caught.value)


def test_refusals_say_what_helps():
    assert refused(graph("Add", ["int64"] * 2), "1.0") == (
        "graph, input 'x0': int64: TOSA 1.0 has no 64-bit integers; lower to version 1.1 (EXT-INT64), "
        "or in pairs (wide='pairs', --pairs), two int32 tensors of each"
    )
    assert "input 'x0': float64: TOSA 1.1 has no such type; use float32" in refused(graph("Abs", ["float64"]), "1.1")
    assert refused(graph("Div", ["uint64"] * 2), "0.23.0 pairs") == (
        "graph, node 0 (Div): Div-14 (uint64, uint64) -> uint64: there is no division of numbers in two words; lower "
        "to version 1.1 without wide='pairs' (EXT-INT64), or divide 32-bit numbers"
    )
    message = refused(graph("Div", ["float32"] * 2), "1.1")
    assert message.startswith("graph, node 0 (Div): Div-14 (float32, float32) -> float32: TOSA has no division of")
    assert "no remainder of floats" in refused(graph("Mod", ["float16"] * 2, fmod=1), "1.0")
    assert refused(graph("Cast", ["float32"], to="int64"), "1.1").endswith(
        "TOSA casts floats from and to 32 bits and less; cast by way of int32"
    )
    assert refused(graph("Cast", ["uint64"], to="float32"), "1.0 pairs").endswith("cast by way of int32")
    assert refused(graph("Cast", ["float16"], to="float32"), "0.23.0").endswith(
        "TOSA 0.23.0 has no cast between floats; version 1.0 has"
    )
    with pytest.raises(InvalidError, match="wide is 'halves'; allowed: None, or 'pairs'"):
        OnnxToTosa("1.0", wide="halves")
    with pytest.raises(LanewiseError, match="lanewise knows 0.23.0, 1.0, 1.1"):
        OnnxToTosa("0.80.0")


def test_open_sizes_and_large_repetitions_are_refused():
    builder = Builder(onnx=28)
    x, y = builder.input("x", "int32", ("n", 2)), builder.input("y", "int32", (2,))
    z = builder.input("z", "int32", ("m",))
    builder.output("both", builder.node("BitwiseAnd", builder.node("Neg", x), y))
    builder.output("all", builder.node("BitwiseAnd", x, z))
    message = refused(builder.model(), "1.0")
    assert message.startswith("graph, node 2 (BitwiseAnd): ") and message.endswith("(shapes=, --shape)")
    lowered = lower_graph(builder.model(), DIRECTIONS["1.0"], {"z": (2,)})
    assert lowered.model.inputs["x"].shape == ("n", 2)
    builder = Builder(onnx=28)
    x = builder.input("x", "int32", (1, 1))
    builder.output("z", builder.node("Expand", x, builder.constant(np.array([1 << 14, 1 << 12], np.int64))))
    assert "allowed are 16,777,216 elements" in refused(builder.model(), "1.0")


def test_what_has_a_rule():
    """The operators and types of each direction; a rule that is lost would not be missed otherwise."""
    assert {source.operator.name for source in INSTANCES["1.1"]} == set(NAMES)
    integers = {
        title: {s.sort.name for s in sources if s.operator.name == "BitShift"} for title, sources in INSTANCES.items()
    }
    narrow = {"int8", "int16", "int32", "uint8", "uint16", "uint32"}
    assert integers["0.23.0"] == integers["1.0"] == narrow
    assert integers["0.23.0 pairs"] == integers["1.1"] == narrow | {"int64", "uint64"}
    assert any(s.operator.name == "Div" and s.sort == i64 for s in INSTANCES["1.1"])
    casts = Counter(title for title, sources in INSTANCES.items() for s in sources if s.operator.name == "Cast")
    assert casts == {
        "0.23.0": 7 * 7 + 2 * 3 * 7 + 3,
        "0.23.0 pairs": 9 * 9 + 2 * 3 * 7 + 3,
        "1.0": 10 * 10,
        "1.0 pairs": 12 * 12 - 2 * 3 * 2,
        "1.1": 12 * 12 - 2 * 3 * 2,
        "1.1 pairs": 12 * 12 - 2 * 3 * 2,
    }


@pytest.mark.parametrize("sort", [u8, u16, u32])
def test_words_stand_for_wider_ones(sort):
    """The rules of 32 bits, with words of 8: what is tried completely is the same rule."""
    direction = DIRECTIONS["1.0 pairs"]
    source = node("Add", sort, sort)
    narrow = direction.narrowed(source)
    if sort != u32:
        assert narrow is None  # these go through int32
        return
    assert narrow is not None
    place, small = narrow
    assert small.types == (u8, u8) and place.carrier(u16).parts == (i8, i8)
    used = Counter(kind for kind, _ in _nodes(place.lowered(small)))
    assert used == Counter(kind for kind, _ in _nodes(direction.lowered(source)))


def _nodes(function: Function) -> list[tuple[str, object]]:
    from lanewise.language.nodes import postorder

    return [(found.kind, found.sort) for found in postorder(function.results)]
