"""Tables of quantised functions: building them, and checking those that others built."""
