"""A frozen corpus of operands and results for every operator, type and version, in the formats that benches read."""
