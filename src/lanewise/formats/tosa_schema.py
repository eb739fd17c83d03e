"""The field tables of TOSA files: 0.23.0, and 1.0 with 1.1.

Names are the schemas' own, without the "Tosa" in front. Operators and element types are numbered
by their place in a list.
"""

from __future__ import annotations

from lanewise.formats.flatbuffer import Field, Schema, Unions
from lanewise.language.sorts import Sort, bf16, boolean, f16, f32, i4, i8, i16, i32, i48, i64, u8

IDENTIFIER = b"TOSA"  # at bytes 4 to 7 of 1.x files; 0.23.0 files have none

# --- 0.23.0 ---------------------------------------------------------------------------------

TYPES_0_23: tuple[Sort | str, ...] = ("UNKNOWN", boolean, u8, i4, i8, i16, i32, i48, f32)

OPERATORS_0_23 = (
    "UNKNOWN ARGMAX AVG_POOL2D CONV2D CONV3D DEPTHWISE_CONV2D FULLY_CONNECTED MATMUL MAX_POOL2D TRANSPOSE_CONV2D "
    "CLAMP RESERVED SIGMOID TANH ADD ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR INTDIV LOGICAL_AND "
    "LOGICAL_LEFT_SHIFT LOGICAL_RIGHT_SHIFT LOGICAL_OR LOGICAL_XOR MAXIMUM MINIMUM MUL POW SUB TABLE ABS BITWISE_NOT "
    "CEIL CLZ EXP FLOOR LOG LOGICAL_NOT NEGATE RECIPROCAL RSQRT SELECT EQUAL GREATER GREATER_EQUAL REDUCE_ANY "
    "REDUCE_ALL REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM CONCAT PAD RESHAPE REVERSE SLICE TILE TRANSPOSE "
    "GATHER SCATTER RESIZE CAST RESCALE CONST IDENTITY CUSTOM COND_IF WHILE_LOOP"
).split()

UNIONS_0_23: Unions = {
    "Attribute": (
        "PoolAttribute ConvAttribute TransposeConvAttribute PadAttribute AxisAttribute ReshapeAttribute SliceAttribute "
        "TileAttribute ResizeAttribute ClampAttribute RescaleAttribute MulAttribute ArithmeticRightShiftAttribute "
        "CondIfAttribute WhileLoopAttribute TransposeAttribute TableAttribute"
    ).split(),
    "QuantInfo": "UnaryQuantInfo ConvQuantInfo MatMulQuantInfo PadQuantInfo".split(),
}

# Attributes of operators that lanewise does not have are listed empty: their kind is known, their fields are not read.
SCHEMA_0_23: Schema = {
    **{name: () for names in UNIONS_0_23.values() for name in names},
    "ReshapeAttribute": (Field("shape", "[int32]"),),
    "ClampAttribute": (
        Field("min_int", "int32", 0),
        Field("max_int", "int32", 0),
        Field("min_fp", "float", 0.0),
        Field("max_fp", "float", 0.0),
    ),
    "RescaleAttribute": (
        Field("input_zp", "int32", 0),
        Field("output_zp", "int32", 0),
        Field("multiplier", "[int32]"),
        Field("shift", "[int32]"),
        Field("scale32", "bool", False),
        Field("double_round", "bool", False),
        Field("per_channel", "bool", False),
    ),
    "MulAttribute": (Field("shift", "int32", 0),),
    "ArithmeticRightShiftAttribute": (Field("round", "bool", False),),
    "TableAttribute": (Field("table", "[int32]"),),
    "UnaryQuantInfo": (Field("input_zp", "int32", 0), Field("output_zp", "int32", 0)),
    "Version": (
        Field("major", "int32", 0),
        Field("minor", "int32", 23),
        Field("patch", "int32", 0),
        Field("draft", "bool", False),
    ),
    "Tensor": (
        Field("name", "string"),
        Field("shape", "[int32]"),
        Field("type", "uint32", 0),
        Field("data", "bytes"),
    ),
    "Operator": (
        Field("op", "uint32", 0),
        Field("attribute", "union:Attribute"),
        Field("inputs", "[string]"),
        Field("outputs", "[string]"),
        Field("quant_info", "union:QuantInfo"),
    ),
    "BasicBlock": (
        Field("name", "string"),
        Field("operators", "[Operator]"),
        Field("tensors", "[Tensor]"),
        Field("inputs", "[string]"),
        Field("outputs", "[string]"),
    ),
    "Graph": (Field("version", "Version"), Field("blocks", "[BasicBlock]")),
}

# --- 1.0 and 1.1 ----------------------------------------------------------------------------

# None: a name that exists (shapes are no tensor elements), a string: a type that lanewise does not have.
TYPES_1: tuple[Sort | str, ...] = (
    "UNKNOWN", boolean, i4, i8, i16, i32, i48, f32, f16, bf16, "SHAPE", "FP8E4M3", "FP8E5M2", "FP6E2M3", "FP6E3M2",
    "FP4E2M1", "FP8UE8M0", i64, "MXINT8",
)  # fmt: skip

OPERATORS_1 = (
    "UNKNOWN ARGMAX AVG_POOL2D CONV2D CONV3D DEPTHWISE_CONV2D FFT2D MATMUL MAX_POOL2D RFFT2D TRANSPOSE_CONV2D "
    "CLAMP ERF SIGMOID TANH ADD ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR INTDIV LOGICAL_AND "
    "LOGICAL_LEFT_SHIFT LOGICAL_RIGHT_SHIFT LOGICAL_OR LOGICAL_XOR MAXIMUM MINIMUM MUL POW SUB TABLE ABS "
    "BITWISE_NOT CEIL CLZ COS EXP FLOOR LOG LOGICAL_NOT NEGATE RECIPROCAL RSQRT SIN SELECT EQUAL GREATER "
    "GREATER_EQUAL REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM CONCAT PAD RESHAPE "
    "REVERSE SLICE TILE TRANSPOSE GATHER SCATTER RESIZE CAST RESCALE CONST IDENTITY CUSTOM COND_IF WHILE_LOOP "
    "VARIABLE VARIABLE_WRITE VARIABLE_READ CONST_SHAPE"
).split()
# 1.1 goes on from here.
OPERATORS_1 += (
    "MATMUL_T_BLOCK_SCALED CAST_FROM_BLOCK_SCALED CAST_TO_BLOCK_SCALED DIM CONCAT_SHAPE ADD_SHAPE SUB_SHAPE MUL_SHAPE "
    "SLICE_SHAPE EXP2_SHAPE LOG2_CEIL_SHAPE LOG2_FLOOR_SHAPE MAX_SHAPE MIN_SHAPE MOD_SHAPE DIV_CEIL_SHAPE "
    "DIV_FLOOR_SHAPE ASSERT_EQUAL_SHAPE CONV2D_BLOCK_SCALED MAX_POOL2D_ADAPTIVE AVG_POOL2D_ADAPTIVE "
    "RESHAPE_BLOCK_SCALED ROW_GATHER_BLOCK_SCALED ROW_GATHER MATMUL_T"
).split()

NAN_MODES = ("UNKNOWN", "PROPAGATE", "IGNORE")
ROUNDING_MODES = ("UNKNOWN", "SINGLE_ROUND", "INEXACT_ROUND", "DOUBLE_ROUND")

# From 1.0 on each operator has an attribute table of its own, numbered as the operator is; it goes by that name here.
UNIONS_1: Unions = {"Attribute": OPERATORS_1[1:]}

SCHEMA_1: Schema = {
    **dict.fromkeys(OPERATORS_1, ()),
    "CLAMP": (Field("min_val", "bytes"), Field("max_val", "bytes"), Field("nan_mode", "uint32", 0)),
    "ARITHMETIC_RIGHT_SHIFT": (Field("round", "bool", False),),
    "MAXIMUM": (Field("nan_mode", "uint32", 0),),
    "MINIMUM": (Field("nan_mode", "uint32", 0),),
    "RESCALE": (
        Field("scale32", "bool", False),
        Field("rounding_mode", "uint32", 0),
        Field("per_channel", "bool", False),
        Field("input_unsigned", "bool", False),
        Field("output_unsigned", "bool", False),
    ),
    "Version": (
        Field("major", "int32", -1),
        Field("minor", "int32", -1),
        Field("patch", "int32", -1),
        Field("draft", "bool", True),
    ),
    "Tensor": (
        Field("name", "string"),
        Field("shape", "[int32]"),
        Field("type", "uint32", 0),
        Field("data", "bytes"),
        Field("variable", "bool", False),
        Field("is_unranked", "bool", False),
        Field("variable_name", "string"),
        Field("offset", "uint64", 0),
        Field("size", "uint64", 0),
        Field("scale_type", "uint32", 0),
    ),
    "Shape": (Field("name", "string"), Field("rank", "uint32", 0), Field("data", "bytes")),
    "Location": (Field("text", "string"),),
    "Operator": (
        Field("op", "uint32", 0),
        Field("attribute", "union:Attribute"),
        Field("inputs", "[string]"),
        Field("outputs", "[string]"),
        Field("location", "Location"),
    ),
    "BasicBlock": (
        Field("name", "string"),
        Field("operators", "[Operator]"),
        Field("tensors", "[Tensor]"),
        Field("inputs", "[string]"),
        Field("outputs", "[string]"),
        Field("shapes", "[Shape]"),
    ),
    "Region": (Field("name", "string"), Field("blocks", "[BasicBlock]")),
    "Graph": (Field("version", "Version"), Field("regions", "[Region]")),
}
