"""One form of a package's number."""

from collections.abc import Iterable


def package_key(number: str) -> str:
    """Return a number in capitals, as it is stored."""
    return number.upper()


def package_keys(numbers: Iterable[str]) -> list[str]:
    """Return distinct normalised numbers in lock order, which prevents deadlocks."""
    return sorted({package_key(number) for number in numbers})
