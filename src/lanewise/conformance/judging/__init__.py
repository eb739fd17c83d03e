"""What a target is asked about an operator, and how its answers are judged."""
