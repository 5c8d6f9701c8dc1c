"""One form of a package's number."""

from collections.abc import Iterable


def package_key(number: str) -> str:
    """A number as it is kept: in capitals, because our numbers are, and people type them as they like."""
    return number.upper()


def package_keys(numbers: Iterable[str]) -> list[str]:
    """Numbers as they are kept, each once, in one order for all who lock them: so nobody waits in a circle."""
    return sorted({package_key(number) for number in numbers})
