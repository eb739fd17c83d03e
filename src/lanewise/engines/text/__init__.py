"""Traced definitions as source text: C99 and SystemVerilog."""
