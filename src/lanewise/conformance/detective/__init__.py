"""Names the rule that reproduces what a target did where it differs from a specification."""
