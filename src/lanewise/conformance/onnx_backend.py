"""lanewise as an `onnx.backend` backend, so that ONNX's own test suites can drive it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.backend.base import Backend, BackendRep

from lanewise.formats import load
from lanewise.graph.model import Model


class LanewiseRep(BackendRep):
    """A loaded model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def run(self, inputs: Any, **kwargs: Any) -> tuple[np.ndarray[Any, Any], ...]:
        """The outputs in the graph's order; inputs by name or one after another."""
        given = inputs if isinstance(inputs, dict) else dict(zip(self.model.inputs, _listed(inputs), strict=True))
        return tuple(self.model.run(given).outputs.values())


class LanewiseBackend(Backend):
    """`prepare(model).run(inputs)`; raises UnsupportedError for what lanewise does not have."""

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> LanewiseRep:
        return LanewiseRep(load(model.SerializeToString(), format="onnx"))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> Any:
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


def _listed(inputs: Any) -> Sequence[Any]:
    return inputs if isinstance(inputs, list | tuple) else [inputs]
