"""Grams and millimetres in the units of carriers. They are rounded up: too little is billed again, with a fee."""

from decimal import ROUND_CEILING, Decimal

GRAMS_PER_POUND = Decimal("453.59237")
GRAMS_PER_OUNCE = GRAMS_PER_POUND / 16
MM_PER_INCH = Decimal("25.4")


def pounds(weight_g: int) -> str:
    """With one decimal, at least 0.1."""
    return _rounded_up(weight_g / GRAMS_PER_POUND, "0.1")


def ounces(weight_g: int) -> float:
    """With one decimal, at least 0.1."""
    return float(_rounded_up(weight_g / GRAMS_PER_OUNCE, "0.1"))


def kilograms(weight_g: int, decimals: int = 1) -> str:
    """With so many decimals, at least the smallest amount that they can tell."""
    return _rounded_up(Decimal(weight_g) / 1000, str(Decimal(1).scaleb(-decimals)))


def inches(length_mm: int, decimals: int = 0) -> str:
    """With so many decimals."""
    return _rounded_up(length_mm / MM_PER_INCH, str(Decimal(1).scaleb(-decimals)))


def centimetres(length_mm: int, decimals: int = 0) -> str:
    """With so many decimals."""
    return _rounded_up(Decimal(length_mm) / 10, str(Decimal(1).scaleb(-decimals)))


def _rounded_up(value: Decimal, step: str) -> str:
    return str(max(value, Decimal(step)).quantize(Decimal(step), rounding=ROUND_CEILING))
