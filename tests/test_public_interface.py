"""The public interface, recorded: a change of surface shows up as a difference to review."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import lanewise as lw

RECORD = Path(__file__).parent / "snapshots" / "public_interface.txt"


def surface() -> str:
    lines = []
    for name in sorted(lw.__all__):
        item = getattr(lw, name)
        if inspect.ismodule(item):
            for member in sorted(item.__all__):
                found = getattr(item, member)
                shown = str(inspect.signature(found)) if inspect.isroutine(found) else ""
                lines.append(f"{name}.{member}{shown}")
        elif inspect.isclass(item):
            bases = ", ".join(base.__name__ for base in item.__bases__)
            lines.append(f"class {name}({bases})")
            public = [n for n in vars(item) if not n.startswith("_")]
            for member in public:
                value = inspect.getattr_static(item, member)
                shown = str(inspect.signature(value)) if inspect.isfunction(value) else ""
                lines.append(f"  {name}.{member}{shown}")
        elif callable(item):
            lines.append(f"{name}{inspect.signature(item)}")
        else:
            lines.append(name)
    return "\n".join(lines) + "\n"


def test_surface_is_as_recorded():
    found = surface()
    if os.environ.get("LANEWISE_SNAPSHOTS") == "write":
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(found, encoding="utf-8")
    assert found == RECORD.read_text(encoding="utf-8"), "run 'make snapshots' and review the difference"


def test_every_public_name_has_a_documentation():
    for name in lw.__all__:
        item = getattr(lw, name)
        assert name == "__version__" or inspect.getdoc(item), name
    for module in (lw.onnx, lw.tosa):
        for name in module.__all__:
            assert len(inspect.getdoc(getattr(module, name)) or "") > 20, name


def test_unknown_names():
    for module, says in ((lw, "'lanewise' has no attribute 'nope'"), (lw.tosa, "no TOSA operator 'nope'")):
        try:
            module.nope
        except AttributeError as error:
            assert says in str(error)
        else:
            raise AssertionError
    assert "add" in dir(lw.tosa)
    assert "load" in dir(lw)
