"""BitShift, ONNX opsets 11 and 28."""

from lanewise.language.attributes import choice
from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import INTEGERS, UNSIGNED, i8, i32, u8, u16, u32, u64
from lanewise.language.words import Value, shift_left, shift_right
from lanewise.operators.onnx.rows import onnx, same

DIRECTION = {"direction": choice("LEFT", "RIGHT")}


@operator(
    "BitShift",
    onnx(28, "BitShift"),
    rows=same(INTEGERS, 2),
    attributes=DIRECTION,
    shape=numpy_broadcast,
    output="Z",
    examples=[
        ((u8, u8), {"direction": "RIGHT"}, (16, 1), 8),
        ((u8, u8), {"direction": "RIGHT"}, (16, 9), 0),  # nine places empty an 8-bit word
        ((i8, i8), {"direction": "RIGHT"}, (-8, 1), -4),  # copies of the sign come in
        ((i8, i8), {"direction": "LEFT"}, (64, 1), -128),  # wraps, is not an error
        ((i32, i32), {"direction": "LEFT"}, (1, 31), -2147483648),
        ((i8, i8), {"direction": "RIGHT"}, (-1, 127), -1),
        ((i8, i8), {"direction": "LEFT"}, (1, -1), 0),  # a negative count empties the word
        ((i8, i8), {"direction": "RIGHT"}, (-8, -1), -1),  # ... and leaves the sign
        ((u64, u64), {"direction": "RIGHT"}, (1000, 64), 0),
    ],
)
@operator(
    "BitShift",
    onnx(11, "BitShift"),
    rows=same(UNSIGNED, 2),
    attributes=DIRECTION,
    shape=numpy_broadcast,
    output="Z",
    examples=[
        ((u8, u8), {"direction": "RIGHT"}, (4, 2), 1),
        ((u16, u16), {"direction": "LEFT"}, (4, 2), 16),
        ((u32, u32), {"direction": "LEFT"}, (2, 2), 8),
        ((u64, u64), {"direction": "RIGHT"}, (1000, 64), 0),  # O1: read as opset 28 says it
    ],
)
def bit_shift(X: Value, Y: Value, *, direction: str) -> Value:
    """X with its bits moved Y places inside the width of T.

    What leaves the word is lost. LEFT brings in zeros; RIGHT brings in copies of the sign bit for
    a signed T, zeros otherwise. Moving by the width or further, or by a negative count, has moved
    every bit out: total, without requirement.
    """
    # Counts are read as unsigned, so a negative count is a huge one.
    return shift_left(X, Y) if direction == "LEFT" else shift_right(X, Y)
