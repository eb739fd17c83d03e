"""TOSA operators in the order of the specification's chapters, each with every version lanewise knows."""

from lanewise.operators.tosa.abs import abs
from lanewise.operators.tosa.add import add
from lanewise.operators.tosa.arithmetic_right_shift import arithmetic_right_shift
from lanewise.operators.tosa.bitwise_and import bitwise_and
from lanewise.operators.tosa.bitwise_not import bitwise_not
from lanewise.operators.tosa.bitwise_or import bitwise_or
from lanewise.operators.tosa.bitwise_xor import bitwise_xor
from lanewise.operators.tosa.cast import cast
from lanewise.operators.tosa.clamp import clamp
from lanewise.operators.tosa.clz import clz
from lanewise.operators.tosa.const import const
from lanewise.operators.tosa.equal import equal
from lanewise.operators.tosa.greater import greater
from lanewise.operators.tosa.greater_equal import greater_equal
from lanewise.operators.tosa.identity import identity
from lanewise.operators.tosa.intdiv import intdiv
from lanewise.operators.tosa.logical_and import logical_and
from lanewise.operators.tosa.logical_left_shift import logical_left_shift
from lanewise.operators.tosa.logical_not import logical_not
from lanewise.operators.tosa.logical_or import logical_or
from lanewise.operators.tosa.logical_right_shift import logical_right_shift
from lanewise.operators.tosa.logical_xor import logical_xor
from lanewise.operators.tosa.maximum import maximum
from lanewise.operators.tosa.minimum import minimum
from lanewise.operators.tosa.mul import mul
from lanewise.operators.tosa.negate import negate
from lanewise.operators.tosa.pow import pow
from lanewise.operators.tosa.reciprocal import reciprocal
from lanewise.operators.tosa.rescale import rescale
from lanewise.operators.tosa.reshape import reshape
from lanewise.operators.tosa.select import select
from lanewise.operators.tosa.sub import sub
from lanewise.operators.tosa.table import table

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
    logical_right_shift,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mul,
    pow,
    sub,
    table,
    # their companions, chapter by chapter
    clamp,
    abs,
    bitwise_not,
    clz,
    logical_not,
    negate,
    reciprocal,
    select,
    equal,
    greater,
    greater_equal,
    reshape,
    cast,
    rescale,
    const,
    identity,
)
