"""A picture of a table's error."""

from __future__ import annotations

from pathlib import Path

from lanewise.conformance.tables.check import Errors
from lanewise.formats.files import path_of, write_whole
from lanewise.language.errors import InvalidError, UnsupportedError


def plot_errors(path: Path, errors: Errors, title: str) -> None:
    """Writes function, table and error over all input codes; the ending says which kind of picture."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError("--plot needs matplotlib: pip install matplotlib") from None
    kind = path_of(path, "plot").suffix.removeprefix(".").lower()
    figure = Figure(figsize=(8, 6), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    if kind not in canvas.get_supported_filetypes():
        raise InvalidError(f"--plot {path}: no kind of picture; give .png, .svg or .pdf")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(errors.codes, errors.exact, label="function", color="tab:gray", linewidth=3)
    above.plot(errors.codes, errors.found, label="table", color="tab:blue", linewidth=1)
    above.set_ylabel("output code")
    above.set_title(title)
    above.legend()
    below.plot(errors.codes, errors.errors, color="tab:red", linewidth=0.8)
    below.axhspan(-0.5, 0.5, color="tab:gray", alpha=0.2)
    below.set_ylabel("error in steps")
    below.set_xlabel("input code")
    write_whole(path, lambda file: figure.savefig(file, format=kind))
