"""From graph to graph: every rewrite is a rule, and every rule is a theorem."""
