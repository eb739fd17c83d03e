"""TOSA operators in the order of the specification's chapters, each with every version lanewise knows.

A definition whose name ends in _1 is that of 1.0 and later, where it differs from the one of 0.23.0.
"""

from lanewise.operators.tosa.abs import abs
from lanewise.operators.tosa.add import add
from lanewise.operators.tosa.arithmetic_right_shift import arithmetic_right_shift
from lanewise.operators.tosa.bitwise_and import bitwise_and
from lanewise.operators.tosa.bitwise_not import bitwise_not
from lanewise.operators.tosa.bitwise_or import bitwise_or
from lanewise.operators.tosa.bitwise_xor import bitwise_xor
from lanewise.operators.tosa.cast import cast, cast_1_0, cast_1_1
from lanewise.operators.tosa.clamp import clamp, clamp_1
from lanewise.operators.tosa.clz import clz
from lanewise.operators.tosa.const import const
from lanewise.operators.tosa.equal import equal
from lanewise.operators.tosa.greater import greater
from lanewise.operators.tosa.greater_equal import greater_equal
from lanewise.operators.tosa.identity import identity
from lanewise.operators.tosa.intdiv import intdiv
from lanewise.operators.tosa.logical_and import logical_and
from lanewise.operators.tosa.logical_left_shift import logical_left_shift, logical_left_shift_1
from lanewise.operators.tosa.logical_not import logical_not
from lanewise.operators.tosa.logical_or import logical_or
from lanewise.operators.tosa.logical_right_shift import logical_right_shift, logical_right_shift_1
from lanewise.operators.tosa.logical_xor import logical_xor
from lanewise.operators.tosa.maximum import maximum, maximum_1
from lanewise.operators.tosa.minimum import minimum, minimum_1
from lanewise.operators.tosa.mul import mul, mul_1
from lanewise.operators.tosa.negate import negate, negate_1
from lanewise.operators.tosa.pow import pow, pow_1
from lanewise.operators.tosa.reciprocal import reciprocal
from lanewise.operators.tosa.rescale import rescale, rescale_1
from lanewise.operators.tosa.reshape import reshape, reshape_1
from lanewise.operators.tosa.select import select
from lanewise.operators.tosa.sub import sub
from lanewise.operators.tosa.table import table, table_1

OPERATORS = (
    # elementwise binary operators: the chapter that lanewise is about
    add,
    arithmetic_right_shift,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    intdiv,
    logical_and,
    logical_left_shift,
    logical_left_shift_1,
    logical_right_shift,
    logical_right_shift_1,
    logical_or,
    logical_xor,
    maximum,
    maximum_1,
    minimum,
    minimum_1,
    mul,
    mul_1,
    pow,
    pow_1,
    sub,
    table,
    table_1,
    # their companions, chapter by chapter
    clamp,
    clamp_1,
    abs,
    bitwise_not,
    clz,
    logical_not,
    negate,
    negate_1,
    reciprocal,
    select,
    equal,
    greater,
    greater_equal,
    reshape,
    reshape_1,
    cast,
    cast_1_0,
    cast_1_1,
    rescale,
    rescale_1,
    const,
    identity,
)
