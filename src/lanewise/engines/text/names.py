"""Names and comments that are safe in C and in SystemVerilog, whatever a graph calls its tensors."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

LONGEST = 63  # what C99 promises to tell apart

# What the headers declare that the text includes: each function also for float and long double.
_MATH = """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p
    log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint
    round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma
    """.split()
C_WORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof
    bool true false main memcpy memmove memset memcmp memchr strlen signbit isnan isinf isfinite isnormal fpclassify
    isgreater isgreaterequal isless islessequal islessgreater isunordered abs labs size_t
    """.split()
).union(*((name, f"{name}f", f"{name}l") for name in _MATH))

SYSTEMVERILOG_WORDS = frozenset(
    """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
    binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge
    else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
    endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect
    export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global
    highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input
    inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local
    localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program
    property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
    rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled
    signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1
    sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1
    tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var
    vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
    """.split()
)

RESERVED = C_WORDS | SYSTEMVERILOG_WORDS  # operands have the same names in both languages

# What the text itself uses, and what C keeps for itself and its macros.
OWN = re.compile(
    r"s\d+|lw_\w*|u?int\w*_t|result|unpredictable|\w*_bits|[A-Z][A-Z0-9]*_\w*|NAN|INFINITY|HUGE_VAL|EOF|NULL|_\w*"
)


def identifier(text: str) -> str:
    """The text as an identifier of letters, digits and underscores; a minus sign before a digit becomes an m."""
    text = re.sub(r"(?<![A-Za-z0-9])-(?=\d)", "m", text)
    text = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return text if text and text[0].isalpha() else f"n{text}"


def short(text: str) -> str:
    """An identifier of at most 63 letters; what is cut off leaves a checksum."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 9]}_{zlib.crc32(text.encode()):08x}"


def distinct(names: Iterable[str], reserved: frozenset[str] = RESERVED) -> list[str]:
    """The names as identifiers, each one's own; words of the language and of the text itself get a tail."""
    found: list[str] = []
    for name in names:
        made = short(identifier(name))
        if OWN.fullmatch(made):
            made = f"in_{made[: LONGEST - 9]}_in"
        elif made in reserved:
            made = f"{made}_in"
        tail, candidate = 2, made
        while candidate in found:
            candidate = f"{made[: LONGEST - 9]}_{tail}"
            tail += 1
        found.append(candidate)
    return found


def comment_text(text: str) -> str:
    """The text as part of a comment: in ASCII, on one line, and unable to end the comment."""
    plain = text.replace("…", "...").encode("ascii", "backslashreplace").decode()
    plain = "".join(c if c.isprintable() else " " for c in plain)
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip(" \\")
