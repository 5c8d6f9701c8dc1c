"""Checks of parties: coordinates, P.O. boxes and printable characters."""
