"""ONNX operators, each with every version lanewise knows; definitions that share a name are its versions."""

from lanewise.operators.onnx.abs import abs
from lanewise.operators.onnx.add import add
from lanewise.operators.onnx.and_ import and_
from lanewise.operators.onnx.bit_shift import bit_shift
from lanewise.operators.onnx.bitwise_and import bitwise_and
from lanewise.operators.onnx.bitwise_not import bitwise_not
from lanewise.operators.onnx.bitwise_or import bitwise_or
from lanewise.operators.onnx.bitwise_xor import bitwise_xor
from lanewise.operators.onnx.cast import cast
from lanewise.operators.onnx.clip import clip, clip_by_attributes
from lanewise.operators.onnx.constant import constant, constant_from_value
from lanewise.operators.onnx.div import div
from lanewise.operators.onnx.equal import equal
from lanewise.operators.onnx.expand import expand
from lanewise.operators.onnx.greater import greater
from lanewise.operators.onnx.greater_or_equal import greater_or_equal
from lanewise.operators.onnx.identity import identity
from lanewise.operators.onnx.less import less
from lanewise.operators.onnx.less_or_equal import less_or_equal
from lanewise.operators.onnx.max import max
from lanewise.operators.onnx.min import min
from lanewise.operators.onnx.mod import mod, mod_before_28
from lanewise.operators.onnx.mul import mul
from lanewise.operators.onnx.neg import neg
from lanewise.operators.onnx.not_ import not_
from lanewise.operators.onnx.or_ import or_
from lanewise.operators.onnx.pow import pow
from lanewise.operators.onnx.reshape import reshape, reshape_by_attribute
from lanewise.operators.onnx.squeeze import squeeze, squeeze_by_attribute
from lanewise.operators.onnx.sub import sub
from lanewise.operators.onnx.unsqueeze import unsqueeze, unsqueeze_by_attribute
from lanewise.operators.onnx.where import where
from lanewise.operators.onnx.xor import xor

OPERATORS = (
    abs,
    add,
    and_,
    bit_shift,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    cast,
    clip,
    clip_by_attributes,
    constant,
    constant_from_value,
    div,
    equal,
    expand,
    greater,
    greater_or_equal,
    identity,
    less,
    less_or_equal,
    max,
    min,
    mod,
    mod_before_28,
    mul,
    neg,
    not_,
    or_,
    pow,
    reshape,
    reshape_by_attribute,
    squeeze,
    squeeze_by_attribute,
    sub,
    unsqueeze,
    unsqueeze_by_attribute,
    where,
    xor,
)
