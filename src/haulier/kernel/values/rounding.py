"""Rounding of amounts in minor units."""

BASIS_POINTS = 10_000
PPM = 1_000_000
"""Parts per million of a whole."""
PPM_PER_BASIS_POINT = PPM // BASIS_POINTS


def divide_half_up(numerator: int, denominator: int) -> int:
    """Return a quotient of integers. Halves are rounded away from zero.

    Raises `ZeroDivisionError` for a denominator of zero.
    """
    size = (2 * abs(numerator) + abs(denominator)) // (2 * abs(denominator))
    return size if (numerator < 0) == (denominator < 0) else -size


def share_of(amount: int, basis_points: int) -> int:
    """Return a share of an amount. The share is in hundredths of a percent."""
    return divide_half_up(amount * basis_points, BASIS_POINTS)
