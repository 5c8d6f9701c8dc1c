"""Conversion of grams and millimetres to the units of carriers.

Values are rounded up, because carriers charge a fee when a value is too low.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

GRAMS_PER_POUND = Decimal("453.59237")
GRAMS_PER_OUNCE = GRAMS_PER_POUND / 16
MM_PER_INCH = Decimal("25.4")


def pounds(weight_g: int) -> str:
    """Return pounds with one decimal, at least 0.1."""
    return _rounded_up(weight_g / GRAMS_PER_POUND, "0.1")


def ounces(weight_g: int) -> float:
    """Return ounces with one decimal, at least 0.1."""
    return float(_rounded_up(weight_g / GRAMS_PER_OUNCE, "0.1"))


def ounces_of_parts(weights_g: Sequence[int]) -> list[float]:
    """Return parts of a weight in ounces, with one decimal and at least 0.1.

    Their sum is the whole rounded up (largest remainder).
    """
    exact = [10 * weight / GRAMS_PER_OUNCE for weight in weights_g]
    tenths = [max(1, int(part)) for part in exact]
    missing = max(len(exact), int(sum(exact, Decimal()).to_integral_value(ROUND_CEILING))) - sum(tenths) if exact else 0
    by_remainder = sorted(range(len(exact)), key=lambda index: tenths[index] - exact[index])
    for index in by_remainder[: max(missing, 0)]:
        tenths[index] += 1
    for _ in range(-missing):
        tenths[max(range(len(tenths)), key=tenths.__getitem__)] -= 1
    return [part / 10 for part in tenths]


def kilograms(weight_g: int, decimals: int = 1) -> str:
    """Return kilograms with `decimals` decimals, at least the smallest such amount."""
    return _rounded_up(Decimal(weight_g) / 1000, str(Decimal(1).scaleb(-decimals)))


def inches(length_mm: int, decimals: int = 0) -> str:
    """Return inches with `decimals` decimals."""
    return _rounded_up(length_mm / MM_PER_INCH, str(Decimal(1).scaleb(-decimals)))


def centimetres(length_mm: int, decimals: int = 0) -> str:
    """Return centimetres with `decimals` decimals."""
    return _rounded_up(Decimal(length_mm) / 10, str(Decimal(1).scaleb(-decimals)))


def _rounded_up(value: Decimal, step: str) -> str:
    return str(max(value, Decimal(step)).quantize(Decimal(step), rounding=ROUND_CEILING))
