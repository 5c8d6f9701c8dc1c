"""Whether the libraries are installed that building and timing routes needs: the extra `routing`."""

from functools import cache
from importlib.util import find_spec

LIBRARIES = ("numpy", "pyvrp")


@cache
def is_routing_installed() -> bool:
    """Whether all of them are; they are not imported for that."""
    return all(map(find_spec, LIBRARIES))
