"""The rules of the simplifier, by what they are about; each is a theorem of its own at every width."""

from lanewise.engines.identities import arithmetic, bits, choices, comparisons, ranges, shifts, widths
from lanewise.engines.rules import Rule

RULES: tuple[Rule, ...] = (
    *bits.RULES,
    *arithmetic.RULES,
    *shifts.RULES,
    *comparisons.RULES,
    *ranges.RULES,
    *choices.RULES,
    *widths.RULES,
)
