"""Operands that are not NumPy's: whoever defines `__array_ufunc__` (dask, xarray, pandas …) is asked, as by a ufunc."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanewise.language.errors import InvalidError

_NUMPYS = np.ndarray.__array_ufunc__
_OF_UFUNCS = ("out", "where")


class BoundOperator:
    """An operator with its attributes settled, as others expect a ufunc to look. It can be pickled."""

    signature = None  # no core dimensions: elementwise
    nout = ntypes = 1
    identity = None

    def __init__(self, specification: str, name: str, nin: int, settings: Mapping[str, Any]) -> None:
        self.specification = specification
        self.operator = name
        self.settings = dict(settings)
        self.nin = nin
        self.nargs = nin + 1
        # Not the bare name: some libraries take a ufunc that is called "add" for their own addition.
        self.__name__ = self.__qualname__ = f"{specification}.{name}"

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        module = importlib.import_module(f"lanewise.{self.specification}")  # in another process it may not be there yet
        return getattr(module, self.operator)(*operands, **{**self.settings, **keywords})

    def __repr__(self) -> str:
        return f"<lanewise.{self.__name__} {self.settings}>" if self.settings else f"<lanewise.{self.__name__}>"


def overriding(operands: Sequence[Any]) -> list[Any]:
    """The operands that want to be asked: one of each type, subclasses before their superclasses."""
    found: list[Any] = []
    for operand in operands:
        kind = type(operand)
        if kind is np.ndarray or getattr(kind, "__array_ufunc__", _NUMPYS) is _NUMPYS:
            continue
        if kind not in map(type, found):
            place = next((k for k, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(place, operand)
    return found


def call_override(
    owners: Sequence[Any], specification: str, name: str, operands: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """What the first of them that knows how says."""
    if keywords.get("on_unpredictable") == "mask":
        raise InvalidError(
            f"{name}: on_unpredictable='mask' gives two arrays, which operands of type "
            f"{type(owners[0]).__name__} cannot pass on; allowed with them: 'raise', 'value'"
        )
    settings = {key: value for key, value in keywords.items() if key not in _OF_UFUNCS}
    passed = {key: keywords[key] for key in _OF_UFUNCS if keywords.get(key) is not None}
    if "out" in passed and not isinstance(passed["out"], tuple):
        passed["out"] = (passed["out"],)
    ufunc = BoundOperator(specification, name, len(operands), settings)
    for owner in owners:
        method = type(owner).__array_ufunc__
        result = NotImplemented if method is None else method(owner, ufunc, "__call__", *operands, **passed)
        if result is not NotImplemented:
            return result
    raise InvalidError(
        f"{name}: operands of type {', '.join(type(owner).__name__ for owner in owners)} do not support it"
    )
