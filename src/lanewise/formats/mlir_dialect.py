"""MLIR text ↔ xdsl's operations, with a `tosa` dialect that is made on the fly. Imported only where MLIR is asked for.

xdsl's own `tosa` dialect has some operators of some version, and an operator that it does not have
has no pretty form. So every operator here is the same class under another name: all of them share
one form, `tosa.name %a, %b {attributes} : (types) -> type`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Any

from xdsl.context import Context
from xdsl.dialects import builtin
from xdsl.dialects.func import Func, FuncOp, ReturnOp
from xdsl.ir import Block, Data, Operation, Region, SSAValue
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError

PREFIX = "tosa."
WIDEST = 64  # bits of an integer type: a literal of a type with a billion bits takes as many
TOKENS, TOKENS_PER_OPERATION = 100_000, 1_000  # one attribute may not fill the memory
QUOTED = 160  # characters of xdsl's messages that are handed on

# The name of an operator (without prefix) → those of its attributes that are bare words; None: no such operator.
Known = Callable[[str], frozenset[str] | None]


class Verbatim(Data[Any], builtin.BuiltinAttribute):  # type: ignore[misc]
    """An attribute that is written as it is given: xdsl spells some floats in a way that MLIR refuses."""

    name = "lanewise.verbatim"

    def print_builtin(self, printer: Any) -> None:
        printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: Any) -> Any:
        parser.raise_error("no such attribute")

    def print_parameter(self, printer: Any) -> None:
        self.print_builtin(printer)


class Dense(Verbatim):
    """A dense literal as it stands in the text; what it says is worked out where its limits are known.

    xdsl would make one Python object of every element, unfold splats whatever their size, and read
    the bit pattern of a float (0x7FC00000) as a whole number.
    """

    name = "lanewise.dense"

    def __init__(self, body: str, type: Any) -> None:
        super().__init__((body, type))

    @property
    def body(self) -> str:
        return str(self.data[0])

    @property
    def type(self) -> Any:
        return self.data[1]

    def print_builtin(self, printer: Any) -> None:
        printer.print_string(f"dense<{self.body}> : ")
        printer.print_attribute(self.type)


class TosaOperation(Operation):  # type: ignore[misc]
    """Any operator of the dialect."""

    name = "tosa"
    traits = traits_def()
    words: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, parser: Any) -> TosaOperation:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        entries: list[tuple[str, Any]] = []
        if parser.parse_optional_punctuation("{") is not None and parser.parse_optional_punctuation("}") is None:
            entries = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: cls._entry(parser))
            parser.parse_punctuation("}")
        attributes = dict(entries)
        if len(attributes) < len(entries):
            parser.raise_error("an attribute is given twice")
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_function_type()
        return cls.create(  # type: ignore[no-any-return]
            operands=parser.resolve_operands(operands or [], signature.inputs.data, position),
            result_types=signature.outputs.data,
            attributes=attributes,
        )

    @classmethod
    def _entry(cls, parser: Any) -> tuple[str, Any]:
        name = parser.parse_identifier_or_str_literal()
        if parser.parse_optional_punctuation("=") is None:
            return name, builtin.UnitAttr()
        word = parser.parse_optional_identifier() if name in cls.words else None
        return name, parser.parse_attribute() if word is None else builtin.StringAttr(word)

    def print(self, printer: Any) -> None:
        printer.print_string(" " if self.operands else "")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(" : ")
        printer.print_attribute(builtin.FunctionType.from_lists(self.operand_types, self.result_types))


class GenericOperation(TosaOperation):
    """An operator in MLIR's generic form, which has the attributes as properties."""

    print = Operation.print


@dataclass
class Parsed:
    """A module: its functions and attributes, the names of its values, the lines of its operations."""

    module: Any
    names: Mapping[Any, str]
    lines: Mapping[Any, int]


class _Dialects(Context):  # type: ignore[misc]
    """Knows builtin, func, and of tosa whatever `known` knows; keeps the name of what it refused."""

    def __init__(self, known: Known) -> None:
        super().__init__()
        self.known = known
        self.missing = ""  # an operation
        self.refused = ""  # a type or an attribute
        self.made: dict[str, Any] = {}
        self.load_dialect(builtin.Builtin)
        self.load_dialect(Func)

    def get_optional_op(self, name: str, **more: Any) -> Any:
        if name.startswith(PREFIX):
            if name not in self.made:
                words = self.known(name.removeprefix(PREFIX))
                self.made[name] = None if words is None else operation(name.removeprefix(PREFIX), words)
            found = self.made[name]
        else:
            found = super().get_optional_op(name, **more)
        if found is None:
            self.missing = name
        return found

    def get_optional_type(self, name: str) -> Any:
        if name == f"{PREFIX}shape":
            return self.made.setdefault(f"!{name}", builtin.UnregisteredAttr.with_name_and_type(name, True))
        found = super().get_optional_type(name)
        if found is None:
            self.refused = f"type !{name}"
        return found

    def get_optional_attr(self, name: str) -> Any:
        if name.startswith(PREFIX):
            return self.made.setdefault(f"#{name}", builtin.UnregisteredAttr.with_name_and_type(name, False))
        found = super().get_optional_attr(name)
        if found is None:
            self.refused = f"attribute #{name}"
        return found


def operation(name: str, words: frozenset[str]) -> type[TosaOperation]:
    """The class of an operator of the dialect."""
    return type(name, (TosaOperation,), {"name": PREFIX + name, "words": words})


class _Lexer(MLIRLexer):  # type: ignore[misc]
    left = TOKENS
    source = ""

    def lex(self) -> Any:
        self.left -= 1
        if self.left < 0:
            raise InvalidError(f"{self.source}: one operation or attribute is too long")
        return super().lex()


class _Parser(Parser):  # type: ignore[misc]
    """xdsl's parser, which also counts, keeps names and lines, and leaves dense literals as text."""

    _parser_state: Any

    def __init__(self, dialects: _Dialects, text: str, source: str, max_nodes: int) -> None:
        super().__init__(dialects, text, source)
        lexer = _Lexer(Input(text, source))
        lexer.source = source
        self._parser_state = type(self._parser_state)(lexer)
        self.text = text
        self.source = source
        self.most = max_nodes
        self.nodes = self.others = 0
        self.names: dict[Any, str] = {}
        self.lines: dict[Any, int] = {}
        self._named = 0
        self._counted, self._line = 0, 1
        self.started = 1  # the line of the operation that is being read

    def here(self) -> int:
        """The line of the next token. Positions only grow, so that each line is counted once."""
        if self.pos > self._counted:
            self._line += self.text.count("\n", self._counted, self.pos)
            self._counted = self.pos
        return self._line

    def parse_operation(self) -> Any:
        self.started = line = self.here()
        self.lexer.left += TOKENS_PER_OPERATION
        made = super().parse_operation()
        self.lines[made] = line
        if isinstance(made, TosaOperation):
            self.nodes += 1
        else:
            self.others += 1  # modules, functions and what they return
        if max(self.nodes, self.others) > self.most:
            raise InvalidError(f"{self.source}: more than {self.most} operations, the limit (max_nodes)")
        if (made.regions and (isinstance(made, TosaOperation) or self.ssa_values)) or made.successors:
            raise UnsupportedError(
                f"{self.source}, line {line}: {made.name} with regions inside a function; lanewise runs straight lines"
            )
        for name in islice(reversed(self.ssa_values), max(0, len(self.ssa_values) - self._named)):
            for value in self.ssa_values[name]:
                self.names[value] = name
        self._named = len(self.ssa_values)
        return made

    def parse_optional_type(self) -> Any:
        found = super().parse_optional_type()
        if isinstance(found, builtin.IntegerType) and found.width.data > WIDEST:
            raise UnsupportedError(
                f"{self.source}, line {self.here()}: an integer type of {found.width.data} bits; lanewise has up to 64"
            )
        return found

    def parse_optional_location(self) -> Any:
        """Skips a location: MLIR defines the aliases of locations after their use, which xdsl refuses."""
        if self.parse_optional_keyword("loc") is None:
            return None
        depth = 0
        for found in _BRACKETS.finditer(self.text, self.pos):
            depth += {"(": 1, ")": -1}.get(found[0], 0)
            if depth <= 0:
                break
        else:
            self.raise_error("a location does not end")
        self._resume_from(found.end())
        return builtin.UnknownLoc()

    def parse_dense_int_or_fp_elements_attr(self, type: Any = None) -> Any:
        start = self.pos
        end = self.text.find(">", start)
        if self.text[start : start + 1] != "<" or end < 0:
            self.raise_error("a dense literal stands in < and >")
        self._resume_from(end + 1)
        if type is None:
            self.parse_punctuation(":")
            type = self.parse_type()
        return Dense(self.text[start + 1 : end].strip(), type)


_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|[()]')

# Comments, strings and words that are too long. Three things take xdsl time or memory beyond all measure, so this
# pattern, which never goes back, looks for them first: a string that does not end (twice the time for each
# character), a shape of very many sizes (the rest of it is read again after each "x"), and very many comments.
_TRAPS = re.compile(
    r'//[^\n]*+|"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+(?P<end>"?)|(?<![\w$.])(?P<word>[\w$.]{2000})'
)


def _without_traps(text: str, source: str) -> str:
    """The text without comments, each line where it was; InvalidError for a trap."""

    def keep(found: re.Match[str]) -> str:
        if found[0].startswith("//"):
            return ""
        if found["end"] == "" or found["word"] is not None:
            line = text.count("\n", 0, found.start()) + 1
            what = "a word is too long" if found["word"] else "a string does not end, or has an unknown escape"
            raise InvalidError(f"{source}, line {line}: {what}")
        return found[0]

    return _TRAPS.sub(keep, text)


def parse(text: str, source: str, known: Known, max_nodes: int) -> Parsed:
    """The module in a text. InvalidError for what is no MLIR, UnsupportedError for a dialect or operator unknown."""
    text = _without_traps(text, source)
    dialects = _Dialects(known)
    try:
        parser = _Parser(dialects, text, source, max_nodes)
        module = parser.parse_module()
    except LanewiseError:
        raise
    except ParseError as error:
        if dialects.missing:  # xdsl's error stands behind the name, which may be another line
            where = f"{source}, line {parser.started}: {_short(dialects.missing)}"
            if "." in dialects.missing:
                raise UnsupportedError(f"{where} is not one of lanewise's operations") from None
            raise InvalidError(f"{where} is no operation") from None
        where = f"{source}, line {text.count(chr(10), 0, error.span.start) + 1}"
        if dialects.refused:
            raise UnsupportedError(f"{where}: {_short(dialects.refused)} is not one of lanewise's") from None
        raise InvalidError(f"{where}: {_short(error.msg)}") from None
    except RecursionError:
        raise InvalidError(f"{source}: the text nests too deeply") from None
    except Exception as error:  # xdsl promises nothing about what it raises for a text that is no MLIR
        raise InvalidError(f"{source}: xdsl cannot read it: {type(error).__name__}: {_short(str(error))}") from None
    return Parsed(module, parser.names, parser.lines)


def _short(message: str) -> str:
    flat = " ".join(message.split())
    return flat if len(flat) <= QUOTED else flat[:QUOTED] + " …"


class _Printer(Printer):  # type: ignore[misc]
    """xdsl's printer, under the names that the values have: it would cut the end off x_1."""

    names: Mapping[Any, str]

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self.names[value]
        self.print_string(f"%{name}")
        return name


def text_of(module: Any, names: Mapping[Any, str]) -> str:
    """The module as text, in the forms that MLIR itself prints."""
    stream = StringIO()
    printer = _Printer(stream)
    printer.names = names
    printer.print_op(module)
    return stream.getvalue() + "\n"


def function(body: Any, results: Sequence[Any], named: str, inputs: Iterable[str], outputs: Iterable[str]) -> Any:
    """func.func @main with a body; the attribute `named` gives arguments and results their names."""
    arguments, returned = (
        [builtin.DictionaryAttr({named: builtin.StringAttr(name)}) for name in names] for names in (inputs, outputs)
    )
    return FuncOp(
        "main",
        ([argument.type for argument in body.args], list(results)),
        Region(body),
        arg_attrs=builtin.ArrayAttr(arguments) if arguments else None,
        res_attrs=builtin.ArrayAttr(returned),
    )


__all__ = ["Block", "Dense", "FuncOp", "ReturnOp", "TosaOperation", "Verbatim", "builtin", "parse", "text_of"]
