"""Judging: other people's tests run on lanewise."""
