"""ONNX operators, each with every version lanewise knows."""

from lanewise.operators.onnx.bit_shift import bit_shift

OPERATORS = (bit_shift,)
