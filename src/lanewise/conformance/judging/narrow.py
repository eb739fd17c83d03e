"""Runs a batch on a target; where it dies, hangs or refuses, halves the batch until the inputs that do it are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.conformance.targets.process import Crashed, Hung

Array = np.ndarray[Any, Any]
MOST_FINDINGS = 6  # smallest failing batches that are looked for
MOST_HANGS = 8  # of one cell; each costs the whole time limit


class Refused(Exception):
    """The target answered that it does not compute this."""


class Absent(Exception):
    """The target has no such operator."""


class Mistyped(Exception):
    """The result has another type or shape than the specification says."""


@dataclass
class Failure:
    """A smallest batch of rows on which a target failed: `kind` is "crash", "hang", "mistyped" or "refusal"."""

    kind: str
    rows: Array
    message: str


@dataclass
class Answers:
    """Results where there are some; `aside` are rows that were not run because they share an operand with failures."""

    found: Array | None = None
    answered: Array | None = None
    failures: list[Failure] = field(default_factory=list)
    aside: int = 0


Run = Callable[[Array], Array]  # rows → results


class Narrowing:
    """Batches of rows on one target. `keys` tell rows by their operands: an array of operands × rows.

    The limit on hangs is one for all batches together.
    """

    def __init__(self, run: Run, keys: Array) -> None:
        self.run = run
        self.keys = keys
        self.hangs = 0

    def all(self, rows: Array) -> Answers:
        """The results of all rows but those that fail or look like failing ones."""
        answers, left = Answers(), rows
        while len(left):
            failed, result = self._try(left)
            if failed is None:
                answers.found, answers.answered = result, left
                return answers
            smallest = self._smallest(failed)
            answers.failures.append(smallest)
            if len(answers.failures) >= MOST_FINDINGS or self.hangs >= MOST_HANGS or len(smallest.rows) == len(rows):
                answers.aside = len(left) - len(smallest.rows)
                return answers
            kept = left[~np.isin(left, smallest.rows)]
            alike = self._like_failures(answers.failures, kept)
            answers.aside += int(alike.sum())
            left = kept[~alike]
        return answers

    def _try(self, rows: Array) -> tuple[Failure | None, Array | None]:
        try:
            return None, self.run(rows)
        except Crashed as error:
            return Failure("crash", rows, str(error)), None
        except Hung as error:
            self.hangs += 1
            return Failure("hang", rows, str(error)), None
        except Mistyped as error:
            return Failure("mistyped", rows, str(error)), None
        except (Refused, Absent) as error:
            return Failure("refusal", rows, str(error)), None

    def _smallest(self, failure: Failure) -> Failure:
        """Halves a failing batch as long as one half fails."""
        while len(failure.rows) > 1 and self.hangs < MOST_HANGS:
            middle = len(failure.rows) // 2
            for half in (failure.rows[:middle], failure.rows[middle:]):
                failed, _ = self._try(half)
                if failed is not None:
                    failure = failed
                    break
            else:
                return failure  # only the rows together fail
        return failure

    def _like_failures(self, failures: list[Failure], rows: Array) -> Array:
        """Rows that share an operand with two failures: they are taken to fail as well, and not run."""
        alike = np.zeros(len(rows), np.bool_)
        singles = [failure.rows[0] for failure in failures if len(failure.rows) == 1]
        if len(self.keys) == 1:
            return alike
        for operand in self.keys:
            values, counts = np.unique(operand[singles], return_counts=True)
            alike |= np.isin(operand[rows], values[counts >= 2])
        return alike
