"""Check for the libraries of route building: the extra `routing`."""

from functools import cache
from importlib.util import find_spec

LIBRARIES = ("numpy", "pyvrp")


@cache
def is_routing_installed() -> bool:
    """Return True if all of them are installed, without importing them."""
    return all(map(find_spec, LIBRARIES))
