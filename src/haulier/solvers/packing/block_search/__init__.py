"""Compiled search that fills one space with blocks of boxes."""
