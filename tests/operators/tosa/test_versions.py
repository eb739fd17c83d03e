"""The static side of TOSA 1.0 and 1.1, against tables written down independently of the records.

One line an operator: its arguments (`!`: a compile-time constant in PRO-INT and PRO-FP, `?`: in
PRO-INT only), its attributes with their defaults, the types of 1.0, and after `+` what 1.1 adds.
`int`, `fp` and `both` are PRO-INT, PRO-FP and either; `x16`, `x4`, `x64` are EXT-INT16, EXT-INT4,
EXT-INT64; `float` stands for float16 and float32 in PRO-FP and bfloat16 with EXT-BF16, throughout a row.
"""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.language.attributes import REQUIRED
from lanewise.operators.catalogue import find, known_profile, versions_of
from tests.operators.battery import check_examples
from tests.operators.tosa.plain import check_unpredictable

PREFIXES = {
    "int": {"PRO-INT"},
    "fp": {"PRO-FP"},
    "both": {"PRO-INT", "PRO-FP"},
    "x16": {"EXT-INT16"},
    "x4": {"EXT-INT4"},
    "x64": {"EXT-INT64"},
    "bf": {"EXT-BF16"},
}
NARROW = "int int8 int8 > int8; int int16 int16 > int16; int int32 int32 > int32 + x64 int64 int64 > int64"
SHIFTS = "both int8 int8 > int8; both int16 int16 > int16; both int32 int32 > int32 + x64 int64 int64 > int64"
LOGICAL = "both bool bool > bool +"
EXTREME = "int int32 int32 > int32; float float > float + x64 int64 int64 > int64"
COMPARED = "int int32 int32 > bool; float float > bool + x64 int64 int64 > bool"
SUM = "both int32 int32 > int32; float float > float + x64 int64 int64 > int64"
MOVED = (
    "both bool > bool; both int8 > int8; both int16 > int16; both int32 > int32; x4 int4 > int4; x16 int48 > int48; \
float > float + x64 int64 > int64"
)

STORED = "both > bool; both > int8; both > int16; both > int32; x4 > int4; x16 > int48; fp > float16; fp > float32; \
bf > bfloat16 + x64 > int64"

TABLE = f"""
ADD                    | input1 input2 | | {SUM}
ARITHMETIC_RIGHT_SHIFT | input1 input2 | round=False | {NARROW}
BITWISE_AND            | input1 input2 | | {NARROW}
BITWISE_OR             | input1 input2 | | {NARROW}
BITWISE_XOR            | input1 input2 | | {NARROW}
INTDIV                 | input1 input2 | | both int32 int32 > int32 + x64 int64 int64 > int64
LOGICAL_AND            | input1 input2 | | {LOGICAL}
LOGICAL_LEFT_SHIFT     | input1 input2 | | {SHIFTS}
LOGICAL_RIGHT_SHIFT    | input1 input2 | | {SHIFTS}
LOGICAL_OR             | input1 input2 | | {LOGICAL}
LOGICAL_XOR            | input1 input2 | | {LOGICAL}
MAXIMUM                | input1 input2 | nan_mode=PROPAGATE | {EXTREME}
MINIMUM                | input1 input2 | nan_mode=PROPAGATE | {EXTREME}
MUL                    | input1 input2 shift! | | int int8 int8 int8 > int32; int int16 int16 int8 > int32; \
both int32 int32 int8 > int32; float float int8 > float + x64 int64 int64 int8 > int64
POW                    | input1 input2 | | float float > float +
SUB                    | input1 input2 | | {SUM}
TABLE                  | input1 table? | | int int8 int8[256] > int8; x16 int16 int16[513] > int32 +
CLAMP | input | min_val max_val nan_mode=PROPAGATE | int int8 > int8; x16 int16 > int16; float > float +
ABS                    | input1 | | int int32 > int32; float > float + x64 int64 > int64
BITWISE_NOT            | input1 | | int int8 > int8; int int16 > int16; int int32 > int32 + x64 int64 > int64
CLZ                    | input1 | | int int32 > int32 + x64 int64 > int64
LOGICAL_NOT            | input1 | | both bool > bool +
NEGATE                 | input1 input1_zp! output_zp! | | int int8 int8 int8 > int8; int int16 int16 int16 > int16; \
int int32 int32 int32 > int32; float float float > float + x64 int64 int64 int64 > int64
RECIPROCAL             | input1 | | float > float +
SELECT                 | input1 input2 input3 | | both bool bool bool > bool; int bool int8 int8 > int8; \
int bool int16 int16 > int16; int bool int32 int32 > int32; bool float float > float + x64 bool int64 int64 > int64
EQUAL                  | input1 input2 | | {COMPARED}
GREATER                | input1 input2 | | {COMPARED}
GREATER_EQUAL          | input1 input2 | | {COMPARED}
RESHAPE                | input1 shape | | both bool int64 > bool; int int8 int64 > int8; int int16 int64 > int16; \
int int32 int64 > int32; float int64 > float + x64 int64 int64 > int64
CONST                  | | value | {STORED}
IDENTITY               | input1 | | {MOVED}
"""

# CAST and RESCALE: from each type to the types behind it.
CASTS = {
    "1.0": """
int bool  int8 int16 int32
int int8  bool int16 int32
int int16 bool int8 int32
int int32 bool int8 int16
fp int8   float16 float32
fp int16  float16 float32
fp int32  float16 float32
fp float16 int8 int16 int32 float32
fp float32 int8 int16 int32 float16
bf int8 bfloat16
bf int16 bfloat16
bf int32 bfloat16
bf float32 bfloat16
bf bfloat16 int8 int16 int32 float32
""",
    "1.1": """
fp bool float32
fp float32 bool
x64 bool int64
x64 int32 int64
x64 int64 bool int32
""",
}
RESCALES = """
int int8 int8 int16 int32
int int16 int8 int16 int32
int int32 int8 int16 int32
x16 int48 int8 int16 int32
"""
Rows = set[tuple[tuple[str, ...], str, frozenset[str]]]


def parsed_rows(text: str) -> Rows:
    found: Rows = set()
    for line in filter(str.strip, text.split(";")):
        words = line.split()
        prefix = PREFIXES.get(words[0])
        types = words if prefix is None else words[1:]
        at = types.index(">")
        if prefix is None:
            for name, profile in (("float16", "PRO-FP"), ("float32", "PRO-FP"), ("bfloat16", "EXT-BF16")):
                spelt = [name if t == "float" else t for t in types]
                found.add((tuple(spelt[:at]), spelt[at + 1], frozenset({profile})))
        else:
            found.add((tuple(types[:at]), types[at + 1], frozenset(prefix)))
    return found


def listed_pairs(text: str) -> list[tuple[str, str, frozenset[str]]]:
    lines = [line.split() for line in text.strip().splitlines()]
    return [(source, target, frozenset(PREFIXES[prefix])) for prefix, source, *targets in lines for target in targets]


def expected() -> dict[str, tuple[list[str], list[str], Rows, Rows]]:
    result = {}
    for line in TABLE.strip().splitlines():
        name, arguments, attributes, rows = (part.strip() for part in line.split("|"))
        first, added = rows.split("+")
        result[name] = (arguments.split(), attributes.split(), parsed_rows(first), parsed_rows(added))
    casts = [{((a,), b, p) for a, b, p in listed_pairs(CASTS[version])} for version in ("1.0", "1.1")]
    result["CAST"] = (["input"], ["output_type"], *casts)
    result["RESCALE"] = (
        ["input", "multiplier?", "shift?", "input_zp?", "output_zp?"],
        "scale32=True rounding_mode=SINGLE_ROUND per_channel=False input_unsigned=False output_unsigned=False "
        "output_type".split(),
        {((a, m, "int8", a, b), b, p) for a, b, p in listed_pairs(RESCALES) for m in ("int16", "int32")},
        set(),
    )
    return result


EXPECTED = expected()
BOTH = pytest.mark.parametrize("version", ["1.0", "1.1"])


def test_every_operator_has_every_version():
    assert set(versions_of("tosa")) == set(EXPECTED)
    for records in versions_of("tosa").values():
        assert [record.release.since for record in records] == ["0.23.0", "1.0", "1.1"]


@BOTH
@pytest.mark.parametrize("name", EXPECTED)
def test_types_and_profiles(name: str, version: str):
    rows = [
        (tuple(sort.name for sort in row.inputs), row.output.name, row.profiles)
        for row in find("tosa", name, version).rows
    ]
    _, _, first, added = EXPECTED[name]
    assert len(rows) == len(set(rows))
    assert set(rows) == (first | added if version == "1.1" else first)


@BOTH
@pytest.mark.parametrize("name", EXPECTED)
def test_arguments_and_attributes(name: str, version: str):
    operator = find("tosa", name, version)
    marks = {(): "", ("PRO-INT", "PRO-FP"): "!", ("PRO-INT",): "?"}
    arguments = [argument + marks[found.constant_in] for argument, found in operator.arguments.items()]
    attributes = [
        attribute if found.default is REQUIRED else f"{attribute}={found.default}"
        for attribute, found in operator.attributes.items()
    ]
    want = EXPECTED[name][1] + (["input_unsigned=False"] if (name, version) == ("CAST", "1.1") else [])
    assert (arguments, attributes) == (EXPECTED[name][0], want)
    assert not any(argument.attribute_in for argument in operator.arguments.values())


@BOTH
@pytest.mark.parametrize("name", EXPECTED)
def test_examples(name: str, version: str):
    operator = find("tosa", name, version)
    if not operator.constant:
        check_examples(operator)


@BOTH
def test_ranks_and_the_kinds_of_arguments(version: str):
    uses, ranks = {}, {}
    for name in EXPECTED:
        for argument_name, argument in find("tosa", name, version).arguments.items():
            if argument.use != "elements":
                uses[f"{name}.{argument_name}"] = argument.use
            if argument.ranks is not None:
                ranks[f"{name}.{argument_name}"] = argument.ranks
    scalars = ["MUL.shift", "NEGATE.input1_zp", "NEGATE.output_zp", "RESCALE.input_zp", "RESCALE.output_zp"]
    assert uses == {
        **dict.fromkeys(scalars, "scalar"),
        "TABLE.table": "table",
        "RESCALE.multiplier": "channel",
        "RESCALE.shift": "channel",
        "RESHAPE.shape": "numbers",
    }
    assert ranks == dict.fromkeys([*scalars, "RESHAPE.shape"], (1, 1))


# -- profiles --------------------------------------------------------------------------------

X = np.int32([7, -7])


@pytest.mark.parametrize(
    ("profile", "dtype", "reason"),
    [
        ("PRO-FP", np.int32, "ABS: profile PRO-FP has no row for (int32); TOSA 1.1 lists it for PRO-INT"),
        ("PRO-INT", np.int64, "ABS: profile PRO-INT has no row for (int64); TOSA 1.1 lists it for EXT-INT64"),
        (
            "PRO-INT,EXT-BF16",
            np.float16,
            "ABS: profile PRO-INT,EXT-BF16 has no row for (float16); TOSA 1.1 lists it for PRO-FP",
        ),
        ("PRO-INT,EXT-INT64", np.int64, None),
        ("PRO-INT + EXT-INT64", np.int64, None),
        ("EXT-INT16+PRO-FP", np.float32, None),
        ("BI", np.int32, "profile is 'BI'; TOSA 1.1 has PRO-INT, PRO-FP, EXT-INT16"),
        ("PRO-INT,", np.int32, "profile is 'PRO-INT,'; TOSA 1.1 has PRO-INT"),
        ("", np.int32, "profile is ''; TOSA 1.1 has PRO-INT"),
        ("EXT-INT16", np.int32, "profile is 'EXT-INT16', no profile but extensions; they come on top of one: PRO-INT,"),
    ],
)
def test_several_profiles_may_be_asked_for_together(profile: str, dtype: type, reason: str | None):
    if reason is None:
        assert lw.tosa.abs(np.array([-7], dtype), version="1.1", profile=profile).tolist() == [7]
    else:
        with pytest.raises(lw.InvalidError) as caught:
            lw.tosa.abs(np.array([-7], dtype), version="1.1", profile=profile)
        assert str(caught.value).startswith(reason)


def test_the_profiles_of_a_version():
    for version, profile, has in [
        ("0.23.0", "MI", True),
        ("0.23.0", "PRO-INT", False),
        ("1.0", "PRO-INT,EXT-DOUBLEROUND", True),
        ("1.0", "EXT-INT64", False),
        ("1.1", "PRO-FP,EXT-INT64,EXT-SHAPE", True),
    ]:
        if has:
            assert known_profile(version, profile) == profile
        else:
            with pytest.raises(lw.InvalidError, match=f"profile is '{profile}'; TOSA {version} has "):
                known_profile(version, profile)


@BOTH
def test_rounding_modes_that_need_an_extension(version: str):
    def rescale(mode: str, profile: str | None):
        return lw.tosa.rescale(X, 1 << 30, 30, rounding_mode=mode, output_type="int8", version=version, profile=profile)

    for mode, extension in (("DOUBLE_ROUND", "EXT-DOUBLEROUND"), ("INEXACT_ROUND", "EXT-INEXACTROUND")):
        with pytest.raises(lw.InvalidError, match=f"rounding_mode is {mode}, which needs {extension}"):
            rescale(mode, "PRO-INT,EXT-BF16")
        for profile in (None, f"PRO-INT,{extension}"):  # without a profile nothing is held against one
            assert rescale(mode, profile).tolist() == [7, -7]
    assert rescale("SINGLE_ROUND", "PRO-INT").tolist() == [7, -7]


def test_a_type_of_another_version_is_named_so():
    with pytest.raises(lw.InvalidError, match=r"no row for inputs \(int64, int64\).*It is allowed at version 1\.1"):
        lw.tosa.add(np.int64([1]), np.int64([1]), version="1.0")
    # Where only the profile lacks the row, other versions are no way out.
    with pytest.raises(
        lw.InvalidError, match=r"profile BI has no row for \(float32\); TOSA 0\.23\.0 lists it for MI, MT$"
    ):
        lw.tosa.abs(np.float32([1]), profile="BI")


CONSTANTS = [
    ("MUL", "int32", {}, {"shift": ("int8", (1,))}, ["PRO-INT", "PRO-FP"]),
    ("NEGATE", "int8", {}, {"input1_zp": ("int8", (1,)), "output_zp": ("int8", (1,))}, ["PRO-INT"]),
    ("NEGATE", "float32", {}, {"input1_zp": ("float32", (1,)), "output_zp": ("float32", (1,))}, ["PRO-FP"]),
    ("TABLE", "int8", {}, {"table": ("int8", (256,))}, ["PRO-INT"]),
    (
        "RESCALE",
        "int8",
        {"output_type": "int8"},
        {
            "multiplier": ("int32", (1,)),
            "shift": ("int8", (1,)),
            "input_zp": ("int8", (1,)),
            "output_zp": ("int8", (1,)),
        },
        ["PRO-INT"],
    ),
]


@BOTH
@pytest.mark.parametrize(("op", "sort", "attributes", "arguments", "profiles"), CONSTANTS)
def test_compile_time_constants(version: str, op: str, sort: str, attributes, arguments, profiles):
    def graph(profile: str | None, variable: str | None) -> lw.Builder:
        made = lw.Builder(tosa=version, profile=profile)
        operands = [made.input("x", sort, (2,))] * (2 if op == "MUL" else 1)
        for name, (kind, shape) in arguments.items():
            if name == variable:
                operands.append(made.input("t", kind, shape))
            else:
                operands.append(made.constant(np.zeros(shape, kind)))
        made.output("y", made.node(op, *operands, **attributes))
        return made

    for name in arguments:
        for profile in profiles:
            graph(profile, None).model()
            graph(f"{profile},EXT-DYNAMIC", name).model()
            with pytest.raises(lw.InvalidError) as caught:
                graph(profile, name).model()
            assert str(caught.value).endswith(
                f"{op}: {name} is the tensor 't', which no CONST feeds; "
                f"{profile} needs a compile-time constant (EXT-DYNAMIC lifts that)"
            )
        graph(None, name).model()


# -- arguments that became inputs ------------------------------------------------------------


@BOTH
def test_numbers_serve_as_inputs_in_calls_and_graphs(version: str):
    narrow = np.int16([-32768, 5])
    assert lw.tosa.mul(X, np.int32([3, 3]), shift=1, version=version).tolist() == [11, -10]
    assert lw.tosa.mul(X, X, shift=np.int8([0]), version=version).tolist() == [49, 49]
    assert lw.tosa.negate(narrow, version=version).tolist() == [32767, -5]
    assert lw.tosa.negate(np.int8([1]), input1_zp=3, output_zp=-1, version=version).tolist() == [1]
    assert lw.tosa.table(input1=np.int8([-128]), table=list(range(-128, 128)), version=version).tolist() == [-128]
    assert lw.tosa.reshape(X, [2, 1], version=version).shape == (2, 1)
    assert lw.tosa.reshape(X[:1], shape=[], version=version).shape == ()
    call = {"output_type": "int8", "input_zp": 0, "output_zp": -3, "version": version}
    assert lw.tosa.rescale(X, 1 << 30, 30, **call).tolist() == [4, -10]

    graph = lw.Builder(tosa=version)
    x = graph.input("x", "int16", (2,))
    minus = graph.node("NEGATE", x)
    again = graph.node("NEGATE", minus)  # its zero points take the type of a node's result
    product = graph.node("MUL", again, again)
    halved = graph.node("MUL", product, product, shift=30)
    scaled = graph.node("RESCALE", halved, multiplier=[1 << 30], shift=[30], output_type="int8", output_zp=1)
    graph.output("y", graph.node("RESHAPE", scaled, shape=[1, 2]))
    outputs = graph.model().run(np.int16([-300, 300])).outputs
    assert outputs["y"].tolist() == [[9, 9]]  # 8.1e9 / 2**30 = 7.54


@BOTH
@pytest.mark.parametrize("shape", [(), (2,), (1, 1)])
def test_an_input_that_is_one_number_has_one_dimension(version: str, shape: tuple[int, ...]):
    graph = lw.Builder(tosa=version)
    x, shift = graph.input("x", "int32", (2,)), graph.input("shift", "int8", shape)
    graph.output("y", graph.node("MUL", x, x, shift))
    with pytest.raises(lw.InvalidError, match="MUL: shift has (rank|shape)"):
        graph.model()


@BOTH
@pytest.mark.parametrize("name", ["input1_zp", "output_zp"])
@pytest.mark.parametrize("sort", ["int16", "int32", "float32"])
def test_a_zero_point_is_for_int8(version: str, name: str, sort: str):
    with pytest.raises(lw.InvalidError, match=f"NEGATE: {name} is 1.*, but {sort} has 0; others are for int8"):
        lw.tosa.negate(np.array([1], sort), **{name: 1}, version=version)
    graph = lw.Builder(tosa=version)
    graph.output("y", graph.node("NEGATE", graph.input("x", sort, (1,)), **{name: 1}))
    with pytest.raises(lw.InvalidError, match=f"NEGATE: {name} is 1.*, but {sort} has 0; others are for int8"):
        graph.model()
    point = np.array([1], sort)
    values = {"input1": 5, "input1_zp": 0, "output_zp": 0, name: 1}
    if name == "output_zp":
        del values["input1_zp"]  # as a number it is a known 0, but reported all the same
        values = {"input1": 5, "input1_zp": 0, "output_zp": 1}
    check_unpredictable(
        lambda: lw.tosa.negate(np.array([5], sort), **{name: point}, version=version), f"{name} is 0 for {sort}", values
    )


@BOTH
@pytest.mark.parametrize("mode", ["UNKNOWN", "propagate", 1])
@pytest.mark.parametrize("op", ["maximum", "minimum", "clamp"])
def test_nan_modes(version: str, op: str, mode):
    operands = [np.float32([1.0])] * (1 if op == "clamp" else 2)
    bounds = {"min_val": 0, "max_val": 1} if op == "clamp" else {}
    with pytest.raises(lw.InvalidError, match=f"nan_mode is {mode!r}; allowed: 'PROPAGATE', 'IGNORE'"):
        getattr(lw.tosa, op)(*operands, **bounds, nan_mode=mode, version=version)


@BOTH
@pytest.mark.parametrize("name", ["min_val", "max_val"])
def test_a_bound_that_is_nan_is_an_error(version: str, name: str):
    bounds = {"min_val": 0.0, "max_val": 1.0, name: np.nan}
    for mode in ("PROPAGATE", "IGNORE"):
        with pytest.raises(lw.InvalidError, match=f"CLAMP: {name} is NaN"):
            lw.tosa.clamp(np.float32([0]), **bounds, nan_mode=mode, version=version)


RESCALE_ERRORS = [
    (np.int32, {"input_zp": 1}, "input_zp is 1, but int32 has 0; others are for int8"),
    (np.int16, {"input_zp": 1}, "input_zp is 1, but int16 has 0; others are for int8"),
    (np.int8, {"output_type": "int16", "output_zp": -1}, "output_zp is -1, but int16 has 0; others are for int8"),
    (np.int16, {"input_unsigned": True, "input_zp": 1}, "input_zp is 1, but int16 has 0 or -32768; the bits of"),
    (np.int8, {"output_type": "int16", "output_unsigned": True, "output_zp": 2}, "output_zp is 2, but int16 has 0 or"),
    (np.int64, {}, "scale32 is True; an int48 input is scaled by 16-bit multipliers only"),
    (np.int32, {"scale32": False, "multiplier": [1], "rounding_mode": "DOUBLE_ROUND"}, "rounding_mode is DOUBLE_ROUND"),
    (np.int8, {"input_unsigned": True, "output_unsigned": True}, "input_unsigned and output_unsigned are True"),
    (np.int32, {"input_unsigned": True}, "input_unsigned is True, but the input is int32"),
    (np.int8, {"input_unsigned": True, "output_type": "int32"}, "input_unsigned is True, but the output is int32"),
    (np.int32, {"output_unsigned": True}, "output_unsigned is True, but the input is int32"),
    (np.int16, {"output_unsigned": True, "output_type": "int32"}, "output_unsigned is True, but the output is int32"),
    (
        np.int64,
        {"output_unsigned": True, "scale32": False, "multiplier": [1]},
        "output_unsigned is True, but the input",
    ),
    (np.int32, {"rounding_mode": "UNKNOWN"}, "attribute rounding_mode is 'UNKNOWN'; allowed: 'SINGLE_ROUND', "),
    (np.int32, {"multiplier": np.int16([1])}, "multiplier is int16; with scale32=True it is int32"),
    (np.int32, {"output_type": None}, "attribute output_type is None; allowed: the name of an element type"),
]


@BOTH
@pytest.mark.parametrize(("dtype", "changes", "reason"), RESCALE_ERRORS)
def test_what_rescale_forbids(version: str, dtype: type, changes: dict, reason: str):
    call = {"multiplier": [1 << 30], "shift": [30], "output_type": "int8", **changes}
    with pytest.raises(lw.InvalidError) as caught:
        lw.tosa.rescale(np.array([1], dtype), **call, version=version)
    assert str(caught.value).startswith(f"RESCALE: {reason}")


@BOTH
def test_rescale_has_no_rank_of_its_own_but_channels_need_one(version: str):
    for shape in ((), (1, 1, 1, 1, 1, 2)):
        found = lw.tosa.rescale(np.full(shape, 9, np.int32), 1 << 30, 31, output_type="int8", version=version)
        assert found.shape == shape
        assert (found == 5).all()
    with pytest.raises(lw.InvalidError, match=r"input has shape \[\], which has no channels"):
        lw.tosa.rescale(np.int32(9), [1], [2], per_channel=True, output_type="int8", version=version)
    found = lw.tosa.rescale(X, [1 << 30] * 2, [30, 31], per_channel=True, output_type="int8", version=version)
    assert found.tolist() == [7, -3]
    assert lw.tosa.pow(np.float32(4), np.float32(0.5), version=version) == 2


# -- public cases ----------------------------------------------------------------------------


@BOTH
# https://github.com/arm/tosa-specification/commit/8da9aea30421f1f049cc482a078c72b635c0bd2b
def test_counts_end_below_the_width(version: str):
    a, b = np.int8([1, -1, 127]), np.int8([8, 31, 9])
    assert lw.tosa.logical_left_shift(a, b).tolist() == [0, 0, 0]
    _, mask = lw.tosa.logical_left_shift(a, b, version=version, on_unpredictable="mask")
    assert mask.tolist() == [True, True, True]


@BOTH
# https://github.com/iree-org/iree/issues/11571
def test_mul_of_either_sign_with_a_shift(version: str):
    a, b = np.int32([1, 0, 3, 4, 4]), np.int32([5, 6, -3, 8, 8])
    assert lw.tosa.mul(a, b, shift=1, version=version).tolist() == [3, 0, -4, 16, 16]


@BOTH
# https://github.com/llvm/llvm-project/issues/112716
def test_mul_of_floats_has_no_shift(version: str):
    a, b = np.float32([1.5]), np.float32([2.0])
    check_unpredictable(
        lambda: lw.tosa.mul(a, b, shift=1, version=version), "shift = 0", {"input1": 1.5, "input2": 2.0, "shift": 1}
    )


@BOTH
# https://github.com/pytorch/executorch/pull/19693
def test_pow_of_a_negative_base(version: str):
    a, b = np.float32([-2.0]), np.float32([2.0])
    assert lw.tosa.pow(a, b).tolist() == [4.0]
    with pytest.raises(lw.UnpredictableError, match="input1"):
        lw.tosa.pow(a, b, version=version)


@BOTH
# https://github.com/llvm/llvm-project/pull/125668
def test_maximum_ignores_a_nan_but_not_two(version: str):
    a, b = np.float32([np.nan, 1.0, np.nan]), np.float32([1.0, np.nan, np.nan])
    found = lw.tosa.maximum(a, b, nan_mode="IGNORE", version=version)
    np.testing.assert_array_equal(found, np.float32([1.0, 1.0, np.nan]))


@BOTH
# https://github.com/llvm/llvm-project/pull/170622
def test_negate_saturates(version: str):
    assert lw.tosa.negate(np.int16([-32768]), input1_zp=0, output_zp=0, version=version).tolist() == [32767]
