"""A graph as readable text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanewise.graph.model import Constant, Model, Node
from lanewise.language.errors import printable
from lanewise.language.sorts import Sort

SHOWN = 6  # elements of a constant that are printed


def model_text(model: Model) -> str:
    """One line for the graph, each input, constant, node and output."""
    version = f"ONNX opset {model.version}" if model.specification == "onnx" else f"TOSA {model.version}"
    profile = f", profile {model.profile}" if model.profile else ""
    lines = [f"{model.source}: {version}{profile}"]
    lines += [f"  input  {name}: {kind}" for name, kind in model.inputs.items()]
    lines += [
        f"  const  {name}: {_constant(constant)}"
        for name, constant in model.constants.items()
        if not _inlined(model, name)
    ]
    lines += [f"  {_node(model, node)}" for node in model.nodes]
    for name, output in model.outputs.items():
        kind = model.types.get(output.tensor)
        lines.append(f"  output {name}{'' if name == output.tensor else f' = {output.tensor}'}: {kind}")
    return "\n".join(map(printable, lines))


def _node(model: Model, node: Node) -> str:
    names = node.operator.argument_names(len(node.inputs))
    operands = [
        tensor or "-" for name, tensor in zip(names, node.inputs, strict=True) if name not in node.from_attributes
    ]
    settings = dict(node.attributes)
    for name, tensor in zip(names, node.inputs, strict=True):
        if name in node.from_attributes and tensor is not None:
            settings[name] = _values(model.constants[tensor])
    listing = _settings(settings)
    return f"{node.output} = {node.operator.name}({', '.join(operands)}){listing} : {model.types.get(node.output)}"


def _settings(settings: Mapping[str, Any]) -> str:
    shown = [
        f"{name}={value.name if isinstance(value, Sort) else value}"
        for name, value in settings.items()
        if value is not None
    ]
    return f" {{{', '.join(shown)}}}" if shown else ""


def _inlined(model: Model, name: str) -> bool:
    """True for a constant that is printed as an attribute of its node."""
    for node in model.nodes:
        names = node.operator.argument_names(len(node.inputs))
        for argument, tensor in zip(names, node.inputs, strict=True):
            if tensor == name and argument in node.from_attributes:
                return True
    return False


def _constant(constant: Constant) -> str:
    shape = ", ".join(map(str, constant.array.shape))
    return f"{constant.sort.name}[{shape}] = {_values(constant)}"


def _values(constant: Constant) -> str:
    size = constant.array.size
    values = ", ".join(str(item) for item in constant.array.flat[:SHOWN].tolist())
    more = f", … ({size} elements)" if size > SHOWN else ""
    return values if size == 1 and not constant.array.shape else f"[{values}{more}]"
