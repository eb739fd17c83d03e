"""Findings for people and programs: a matrix on the terminal, JSON, one HTML page."""
