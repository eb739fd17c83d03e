"""The static side of the TOSA records, against a table written down independently of them.

One line an operator: its arguments (`*`: an attribute in BI and MI, an input in MT), its attributes
with their defaults, and its types. `any` rows are in all profiles, `main` rows in MI and MT only;
`float` stands for one of float16, bfloat16 and float32, the same throughout a row.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.language.attributes import REQUIRED
from lanewise.operators.catalogue import find, versions_of
from lanewise.operators.tosa.rows import VERSIONS

ANY, MAIN = frozenset({"BI", "MI", "MT"}), frozenset({"MI", "MT"})

TABLE = """
ADD                    | input1 input2        |             | any int32 int32 > int32; main float float > float
ARITHMETIC_RIGHT_SHIFT | input1 input2        | round=False | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
BITWISE_AND            | input1 input2        |             | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
BITWISE_OR             | input1 input2        |             | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
BITWISE_XOR            | input1 input2        |             | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
INTDIV                 | input1 input2        |             | any int32 int32 > int32
LOGICAL_AND            | input1 input2        |             | any bool bool > bool
LOGICAL_LEFT_SHIFT     | input1 input2        |             | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
LOGICAL_RIGHT_SHIFT    | input1 input2        |             | any int8 int8 > int8; any int16 int16 > int16; \
                                                               any int32 int32 > int32
LOGICAL_OR             | input1 input2        |             | any bool bool > bool
LOGICAL_XOR            | input1 input2        |             | any bool bool > bool
MAXIMUM                | input1 input2        |             | any int32 int32 > int32; main float float > float
MINIMUM                | input1 input2        |             | any int32 int32 > int32; main float float > float
MUL                    | input1 input2 shift* |             | any int8 int8 uint6 > int32; \
                                                               any int16 int16 uint6 > int32; \
                                                               any int32 int32 uint6 > int32; \
                                                               main float float uint6 > float
POW                    | input1 input2        |             | main float float > float
SUB                    | input1 input2        |             | any int32 int32 > int32; main float float > float
TABLE                  | input table*         |             | any int8 int8[256] > int8; any int16 int16[513] > int32
CLAMP                  | input                | min_val max_val | any int8 > int8; any int16 > int16; main float > float
ABS                    | input1               |             | any int32 > int32; main float > float
BITWISE_NOT            | input1               |             | any int8 > int8; any int16 > int16; any int32 > int32
CLZ                    | input1               |             | any int32 > int32
LOGICAL_NOT            | input1               |             | any bool > bool
NEGATE                 | input1               | input1_zp=0 output_zp=0 | any int8 > int8; any int16 > int16; \
                                                               any int32 > int32; main float > float
RECIPROCAL             | input1               |             | main float > float
SELECT                 | input1 input2 input3 |             | any bool bool bool > bool; any bool int8 int8 > int8; \
                                                               any bool int16 int16 > int16; \
                                                               any bool int32 int32 > int32; \
                                                               main bool float float > float
EQUAL                  | input1 input2        |             | any int32 int32 > bool; main float float > bool
GREATER                | input1 input2        |             | any int32 int32 > bool; main float float > bool
GREATER_EQUAL          | input1 input2        |             | any int32 int32 > bool; main float float > bool
RESHAPE                | input1               | new_shape   | any bool > bool; any int8 > int8; any int16 > int16; \
                                                               any int32 > int32; main float > float
CAST                   | input                | output_type | any bool > int8; any bool > int16; any bool > int32; \
                                                               any int8 > bool; any int16 > bool; any int32 > bool; \
                                                               any int8 > int16; any int8 > int32; \
                                                               any int16 > int8; any int16 > int32; \
                                                               any int32 > int8; any int32 > int16; \
                                                               main int8 > float; main int16 > float; \
                                                               main int32 > float; main float > int8; \
                                                               main float > int16; main float > int32
RESCALE                | input multiplier* shift* \
                                              | input_zp=0 output_zp=0 scale32=True double_round=False \
                                                per_channel=False output_type \
                                                            | any int8 int16/int32 uint6 > int8; \
                                                              any int8 int16/int32 uint6 > int16; \
                                                              any int8 int16/int32 uint6 > int32; \
                                                              any int16 int16/int32 uint6 > int8; \
                                                              any int16 int16/int32 uint6 > int16; \
                                                              any int16 int16/int32 uint6 > int32; \
                                                              any int32 int16/int32 uint6 > int8; \
                                                              any int32 int16/int32 uint6 > int16; \
                                                              any int32 int16/int32 uint6 > int32; \
                                                              any int48 int16/int32 uint6 > int8; \
                                                              any int48 int16/int32 uint6 > int16; \
                                                              any int48 int16/int32 uint6 > int32; \
                                                              any uint8 int16/int32 uint6 > int8; \
                                                              any int8 int16/int32 uint6 > uint8
CONST                  |                      | value       | any > bool; any > int8; any > int16; any > int32; \
                                                               main > float
IDENTITY               | input1               |             | any bool > bool; any int8 > int8; any int16 > int16; \
                                                               any int32 > int32; main float > float
"""


def parsed() -> dict[str, tuple[list[str], list[str], set]]:
    result = {}
    for line in TABLE.strip().splitlines():
        name, arguments, attributes, rows = (part.strip() for part in line.split("|"))
        listed = set()
        for row in rows.split(";"):
            profile, *types = row.split()
            for float_type in ("float16", "bfloat16", "float32"):
                for multiplier in ("int16", "int32"):
                    spelt = [float_type if t == "float" else multiplier if "/" in t else t for t in types]
                    listed.add((tuple(spelt[:-2]), spelt[-1], ANY if profile == "any" else MAIN))
        result[name] = (arguments.split(), attributes.split(), listed)
    return result


EXPECTED = parsed()


def test_the_operators_stand_in_the_chapters_order():
    assert list(versions_of("tosa")) == list(EXPECTED)
    assert len(EXPECTED) == 33


@pytest.mark.parametrize("name", EXPECTED)
def test_types_and_profiles(name: str):
    rows = [
        (tuple(sort.name for sort in row.inputs), row.output.name, row.profiles)
        for row in find("tosa", name, "0.23.0").rows
    ]
    assert len(rows) == len(set(rows))
    assert set(rows) == EXPECTED[name][2]


@pytest.mark.parametrize("name", EXPECTED)
def test_arguments_and_attributes(name: str):
    operator = find("tosa", name, "0.23.0")
    arguments = [
        argument_name + {(): "", ("BI", "MI"): "*"}[argument.attribute_in]
        for argument_name, argument in operator.arguments.items()
    ]
    attributes = [
        attribute_name if attribute.default is REQUIRED else f"{attribute_name}={attribute.default}"
        for attribute_name, attribute in operator.attributes.items()
    ]
    assert (arguments, attributes) == EXPECTED[name][:2]
    assert operator.output == "output"
    assert not any(argument.optional for argument in operator.arguments.values())


def test_ranks_and_the_kinds_of_arguments():
    ranks, uses = {}, {}
    for name in EXPECTED:
        for argument_name, argument in find("tosa", name, "0.23.0").arguments.items():
            if argument.ranks is not None:
                ranks[name, argument_name] = argument.ranks
            if argument.use != "elements":
                uses[name, argument_name] = argument.use
    assert ranks == {("POW", "input1"): (1, 4), ("RESCALE", "input"): (1, 4)}
    assert uses == {
        ("MUL", "shift"): "scalar",
        ("TABLE", "table"): "table",
        ("RESCALE", "multiplier"): "channel",
        ("RESCALE", "shift"): "channel",
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_source_test_and_python_name_agree(name: str):
    operator = find("tosa", name, "0.23.0")
    assert operator.release.title == "TOSA 0.23.0"
    assert operator.meaning.__name__ == name.lower()
    assert operator.meaning.__module__ == f"lanewise.operators.tosa.{name.lower()}"
    assert Path(__file__).with_name(f"test_{name.lower()}.py").exists()
    assert getattr(lw.tosa, name.lower()).__name__ == name.lower()


@pytest.mark.parametrize("name", EXPECTED)
def test_the_definition_says_what_the_result_is(name: str):
    first = (find("tosa", name, "0.23.0").meaning.__doc__ or "").splitlines()[0]
    assert first.endswith(".")
    assert len(first) > 10


def test_a_version_that_is_not_there_is_refused_by_name():
    assert VERSIONS == ("0.23.0", "1.0", "1.1")
    for version in ("0.22.0", "0.30.0", "1.0.3", "0.23", "1.2", 28):
        with pytest.raises(lw.UnsupportedError, match=rf"TOSA version {version}: lanewise knows 0\.23\.0, 1\.0, 1\.1$"):
            find("tosa", "ADD", version)
    for patch in ("1.0.0", "1.0.1", "1.0.2"):  # they changed no value (V1)
        assert find("tosa", "ADD", patch) is find("tosa", "ADD", "1.0")
        assert lw.tosa.abs(np.int32([-3]), version=patch, profile="PRO-INT").tolist() == [3]
        assert lw.Builder(tosa=patch, profile="PRO-INT").version == "1.0"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_float_row_is_not_in_the_base_profile(name: str):
    operator = find("tosa", name, "0.23.0")
    floats = [row for row in operator.rows if row.profiles == MAIN]
    for row in floats:
        attributes = {"output_type": row.output} if operator.output_attribute else {}
        with pytest.raises(lw.InvalidError, match=r"profile BI has no row for .* TOSA 0.23.0 lists it for MI, MT"):
            operator.row(row.inputs, attributes, "BI", row.output if operator.constant else None)
