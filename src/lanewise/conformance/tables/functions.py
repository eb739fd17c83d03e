"""Real functions by name, or from a Python module."""

from __future__ import annotations

import difflib
import importlib
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.language.errors import InvalidError, brief

Real = Callable[[float], float]
# What Python's own functions say outside their domain; from 3.14 on they say what they expected.
_DOMAIN = re.compile(r"math domain error|expected an? .*, got .*")


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


FUNCTIONS: dict[str, Real] = {
    "identity": lambda x: x,
    "tanh": math.tanh,
    "sigmoid": _sigmoid,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x,
    "relu": lambda x: max(x, 0.0),
    "relu6": lambda x: min(max(x, 0.0), 6.0),
    "elu": lambda x: x if x > 0 else math.expm1(x),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "silu": lambda x: x * _sigmoid(x),
    "softplus": lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),
    "hardswish": lambda x: x * min(max(x + 3, 0.0), 6.0) / 6,
    "erf": math.erf,
    "sin": math.sin,
    "cos": math.cos,
}


def function_named(name: str) -> Real:
    """One of the functions above, or `module:function`, looked for in the current folder as well."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    module, separator, attribute = name.partition(":")
    if not separator:
        close = difflib.get_close_matches(name, FUNCTIONS, 3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(FUNCTIONS)}"
        raise InvalidError(f"function {brief(name)}: {hint}; your own is given as module:function")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # whatever a module does when it is imported
        raise InvalidError(f"function {brief(name)}: {type(error).__name__}: {error}") from None
    finally:
        if added:
            sys.path.remove(here)
    if not callable(found):
        raise InvalidError(f"function {brief(name)}: is a {type(found).__name__}, not a function")
    return found  # type: ignore[no-any-return]


def value_at(function: Real, x: float) -> float:
    """The function's value; NaN where it has none, and for the functions above infinite where it is too large.

    It has none where it gives NaN, divides by zero or leaves the domain of one of Python's own functions. Any other
    exception is a fault of the function, not a gap in it, and an InvalidError; so is a result that is not one real
    number. So is an overflow in a function of somebody else's, where it may be anywhere on the way to a value that is
    not large at all.
    """
    try:
        return _number(function(x), x)
    except OverflowError as error:
        if any(function is own for own in FUNCTIONS.values()):
            return math.inf
        raise InvalidError(
            f"the function, at {x!r}: {error}; write it so that nothing on the way to its value overflows"
        ) from None
    except InvalidError:
        raise
    except ZeroDivisionError:
        return math.nan
    except ValueError as error:
        if _DOMAIN.fullmatch(str(error)):
            return math.nan
        raise InvalidError(
            f"the function, at {x!r}: {type(error).__name__}: {error}; it gives math.nan where it has no value"
        ) from None
    except TypeError as error:
        raise InvalidError(f"the function, at {x!r}: {error}; it takes a float and gives one") from None
    except (Exception, SystemExit) as error:  # whatever else a function of somebody's does
        raise InvalidError(f"the function, at {x!r}: {type(error).__name__}: {error}") from None


def _number(found: Any, x: float) -> float:
    """What a function gave, as a float. Text is no number, though float() reads it, and neither is a complex one."""
    one = found.item() if isinstance(found, np.ndarray | np.generic) and found.size == 1 else found
    if not isinstance(one, str | bytes | bytearray | complex):
        try:
            return float(one)
        except OverflowError:  # an integer beyond float64
            raise
        except Exception:  # whatever the conversion of somebody's type does
            pass
    raise InvalidError(
        f"the function, at {x!r}: gives {brief(found)} ({type(found).__name__}); it takes a float and gives one"
    )
