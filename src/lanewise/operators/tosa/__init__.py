"""TOSA operators in the order of the specification's chapters, each with every version lanewise knows."""

from lanewise.operators.tosa.add import add
from lanewise.operators.tosa.arithmetic_right_shift import arithmetic_right_shift
from lanewise.operators.tosa.mul import mul

OPERATORS = (add, arithmetic_right_shift, mul)
