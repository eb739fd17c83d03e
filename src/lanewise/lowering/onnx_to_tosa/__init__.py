"""ONNX to TOSA 0.23.0, 1.0 and 1.1."""

from lanewise.lowering.onnx_to_tosa.direction import OnnxToTosa

__all__ = ["OnnxToTosa"]
