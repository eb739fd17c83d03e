"""The specifications: one file an operator, all its versions in it. Imports `language` only."""
