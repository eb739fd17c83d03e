"""Tensors and nodes: building, checking, planning and running graphs, and calling one operator."""
