"""A target that knows operators, not graphs: each node is a question for its process, as `lanewise conform` asks it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanewise.conformance.sides.ran import Array, Crashes, Hangs, Ran, Stopped, told
from lanewise.conformance.targets.names import Target
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess, Unusable
from lanewise.conformance.targets.protocol import array_of
from lanewise.conformance.targets.request import request
from lanewise.engines.storage import dtype_of
from lanewise.graph.model import Model, Node
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort


def run_stepwise(
    target: Target, model: Model, given: Mapping[str, Array], specified: Mapping[str, Array], seconds: float
) -> Ran:
    """Every node's tensor, computed by the target from those that it gave before.

    Where it has no such operator or refuses, what follows goes on from the specification's value. It ends with the
    first tensor that has another type or shape: no node after it could take it.
    """
    tensors: dict[str, Array] = {**{name: one.array for name, one in model.constants.items()}, **given}
    found: dict[str, Array] = {}
    left_out: dict[str, str] = {}
    stopped: Stopped | None = None
    with TargetProcess(target, seconds) as process:
        for node in model.nodes:
            expected = specified[node.output]
            try:
                answer = _ask(process, model, node, tensors)
            except Unusable as error:
                raise UnsupportedError(f"{target.name}: {error}") from None
            except Crashed as error:
                stopped = Crashes(target.name, node, str(error))
                break
            except Hung as error:
                stopped = Hangs(target.name, node, str(error))
                break
            if isinstance(answer, str):
                left_out[node.output] = answer
                tensors[node.output] = expected
                continue
            if expected.shape == () and answer.shape == (1,):  # the protocol has lists where a graph has a lone number
                answer = answer.reshape(())
            found[node.output] = tensors[node.output] = answer
            if answer.dtype != expected.dtype or answer.shape != expected.shape:
                break
    return Ran(found, left_out, stopped)


def _ask(process: TargetProcess, model: Model, node: Node, tensors: Mapping[str, Array]) -> Array | str:
    """The target's result, or why it has none."""
    operator = node.operator
    for name, value in node.attributes.items():
        attribute = operator.attributes[name]
        if name not in operator.own_attributes and name != operator.output_attribute and value != attribute.default:
            return (
                f"cannot be asked: {name}={value} decides shapes, and the protocol's operands broadcast by themselves"
            )
    output = model.types[node.output].sort
    assert isinstance(output, Sort)
    operands = _written_out(operator, [None if name is None else tensors[name] for name in node.inputs])
    if not operator.variadic:
        operands += [None] * (len(operator.arguments) - len(operands))
    attributes = {name: value for name, value in node.attributes.items() if value is not None}
    reply = process.ask(request(operator, output, attributes, operands))
    if "absent" in reply:
        return f"has no such operator: {str(reply['absent'])[:400]}"
    if "refuses" in reply:
        return f"refuses it: {str(reply['refuses'])[:400]}"
    try:
        answer = array_of(reply.get("output"))
    except InvalidError as error:
        raise InvalidError(f"{told(node)}: the answer of {process.target.name} is no tensor: {error}") from None
    # A type that arrays store in a wider one travels under the wider one's name.
    return answer.astype(dtype_of(output), copy=False) if reply["output"]["type"] == output.name else answer


def _written_out(operator: Operator, operands: list[Array | None]) -> list[Array | None]:
    """Operands of one rank, and lists of one length: `lanewise conform` asks no others, and targets rely on it."""
    varying = [k for k in range(len(operands)) if operator.argument(k).use == "elements"]
    given = {k: one for k in varying if (one := operands[k]) is not None and operator.argument(k).ranks != (0, 0)}
    rank = max((one.ndim for one in given.values()), default=0)
    alike = {k: one.reshape((1,) * (rank - one.ndim) + one.shape) for k, one in given.items()}
    if rank == 1:
        longest = max(one.size for one in alike.values())
        alike = {k: np.broadcast_to(one, longest) if one.size == 1 else one for k, one in alike.items()}
    return [alike.get(k, one) for k, one in enumerate(operands)]
