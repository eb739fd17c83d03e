"""The readers of traced definitions. They know no operator by name."""
