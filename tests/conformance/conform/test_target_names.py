"""Targets by name: what each needs, and what is said where that is missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from lanewise.conformance.targets.names import LIBRARIES, target_of


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes modules look as if they were not installed."""

    def hide(*modules: str) -> None:
        found: Callable[..., Any] = importlib.util.find_spec

        def find(name: str, package: str | None = None) -> Any:
            if name.split(".", maxsplit=1)[0] in modules and "." in name:
                raise ModuleNotFoundError(name)  # as for a part of what is not there
            return None if name in modules else found(name, package)

        monkeypatch.setattr(importlib.util, "find_spec", find)

    return hide


def test_a_missing_package_is_named_as_pip_knows_it(without: Callable[..., None]) -> None:
    without("ai_edge_litert", "iree", "xdsl", "jax")
    assert target_of("jax").missing == "the package is not installed; pip install jax"
    assert target_of("litert").missing == "the package is not installed; pip install ai-edge-litert"
    assert (
        target_of("iree").missing
        == "the packages are not installed; pip install iree-base-compiler iree-base-runtime xdsl"
    )


def test_what_is_installed_is_not_missing() -> None:
    for name in ("numpy", "onnx"):
        assert target_of(name).missing is None


def test_iree_is_asked_in_its_own_version_of_tosa() -> None:
    assert (target_of("iree").specifications, target_of("iree").tosa_version) == (("tosa",), "1.1")
    assert {name for name, library in LIBRARIES.items() if library.tosa_version == "0.23.0"} == set(LIBRARIES) - {
        "iree"
    }
