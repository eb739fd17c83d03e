"""The fast engine: a function becomes one compiled loop, wrapped as a NumPy ufunc."""
