"""The words that definitions are written in. Imports nothing of ours, and no NumPy, z3 or llvmlite."""
