"""The cells of the matrix: an operator at a version, its attributes, a row of types, operands with one known value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lanewise.graph.signature import python_name
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort, Sort
from lanewise.language.words import Function, literal
from lanewise.operators import catalogue


@dataclass(frozen=True)
class Cell:
    """One question; `listed` is False where the version does not have the row and a target ought to refuse it."""

    record: Operator
    row: Row
    attributes: Mapping[str, Any]
    fixed: Mapping[str, Any]
    listed: bool = True

    @property
    def specification(self) -> str:
        return self.record.release.specification

    @property
    def operator(self) -> str:
        return python_name(self.record.name)

    @property
    def types(self) -> tuple[AnySort | None, ...]:
        """Of all operands; None where an optional one is absent."""
        inputs = self.row.inputs * 2 if self.record.variadic else self.row.inputs
        return tuple(
            None if name in self.fixed and self.fixed[name] is None else sort
            for name, sort in zip(self.names, inputs, strict=True)
        )

    @property
    def names(self) -> list[str]:
        return self.record.argument_names(2 if self.record.variadic else len(self.row.inputs))

    @property
    def free(self) -> list[tuple[str, Sort]]:
        """Operands that vary: name and type."""
        found = []
        for name, sort in zip(self.names, self.types, strict=True):
            if name not in self.fixed:
                assert isinstance(sort, Sort)
                found.append((name, sort))
        return found

    @property
    def type_text(self) -> str:
        """The operands' type, with the result's where it is another: 'int8', 'int8 → int32', 'bool × int8 → int8'."""
        names = [sort.name for _, sort in self.free]
        given = [name for k, name in enumerate(names) if k == 0 or name != names[k - 1]]
        return given[0] if given == [self.row.output.name] else f"{' × '.join(given)} → {self.row.output.name}"

    @property
    def setting_text(self) -> str:
        own = self.record.own_attributes - {self.record.output_attribute}
        given = {name: value for name, value in self.attributes.items() if name in own}
        given |= {k: "table" if isinstance(v, list) else v for k, v in self.fixed.items() if v is not None}
        return " ".join(f"{k}={v}" for k, v in given.items())

    @property
    def key(self) -> str:
        return self._named(self.record.release.since)

    @property
    def seed(self) -> str:
        """What its inputs are chosen by: the same at every version of the operator."""
        versions = catalogue.versions_of(self.specification)[self.record.name]
        return self._named(versions[-1 if self.specification == "onnx" else 0].release.since)

    def _named(self, version: int | str) -> str:
        parts = (self.specification, self.record.name, str(version), self.type_text, self.setting_text)
        return " ".join(filter(None, parts)) + ("" if self.listed else " (not listed)")

    @cached_property
    def function(self) -> Function:
        """The definition, with the values of operands that are one number; refuses what it forbids for this row."""
        known = {
            k: literal(self.fixed[name], sort)
            for k, (name, sort) in enumerate(zip(self.names, self.types, strict=True))
            if isinstance(sort, Sort) and self.fixed.get(name) is not None
        }
        return self.record.function(self.types, self.row.output, self.record.read_attributes(self.attributes), known)

    @property
    def stretches(self) -> bool:
        """Whether a row of first operands may stand beside a column of second ones."""
        shapes = [(1, 2), (2, 1), *[()] * (len(self.names) - 2)]
        attributes = self.record.read_attributes(self.attributes)
        try:
            return self.record.shape(self.names, shapes, attributes).result == (2, 2)
        except LanewiseError:
            return False
