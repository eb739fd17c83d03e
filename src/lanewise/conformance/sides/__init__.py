"""The ways of running a graph that can be compared: engines, runtimes of whole graphs, targets node by node."""
