"""Taxes of a charge: their names, rates and amounts."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from haulier.kernel.values.rounding import BASIS_POINTS, PPM, PPM_PER_BASIS_POINT, divide_half_up


class Tax(Struct, frozen=True, kw_only=True):
    """Tax within a gross amount."""

    name: str
    rate_bp: int
    """Rate in hundredths of a percent, rounded."""
    rate_ppm: int | None = None
    """Rate in parts per million, if it is no whole number of hundredths of a percent."""
    amount_minor: int
    """Amount in minor units. Negative on a refund."""

    @property
    def ppm(self) -> int:
        """Return the exact rate in parts per million."""
        return self.rate_bp * PPM_PER_BASIS_POINT if self.rate_ppm is None else self.rate_ppm


class TaxSum(Struct, frozen=True, kw_only=True):
    """Tax of one name and rate on a document."""

    name: str
    rate_bp: int
    rate_ppm: int
    net_minor: int
    """Taxed amount in minor units, without the tax."""
    amount_minor: int


def make_tax(name: str, rate_ppm: int, amount_minor: int) -> Tax:
    """Return a tax with a rate in parts per million."""
    rate_bp = rate_in_bp(rate_ppm)
    exact = None if rate_bp * PPM_PER_BASIS_POINT == rate_ppm else rate_ppm
    return Tax(name=name, rate_bp=rate_bp, rate_ppm=exact, amount_minor=amount_minor)


def rate_in_bp(rate_ppm: int) -> int:
    """Return a rate in hundredths of a percent, rounded."""
    return divide_half_up(rate_ppm, PPM_PER_BASIS_POINT)


def percent_text(rate_ppm: int) -> str:
    """Return a rate in percent without trailing zeros: 99,750 is `9.975`."""
    whole, part = divmod(rate_ppm, BASIS_POINTS)
    return f"{whole}.{part:04d}".rstrip("0").rstrip(".")


def tax_within(gross_minor: int, rate_bp: int) -> int:
    """Return the tax included in a gross amount.

    The rate is in hundredths of a percent. Halves are rounded away from zero.
    """
    return tax_within_ppm(gross_minor, rate_bp * PPM_PER_BASIS_POINT)


def tax_within_ppm(gross_minor: int, rate_ppm: int) -> int:
    """Return the tax included in a gross amount; the rate is in parts per million."""
    return divide_half_up(gross_minor * rate_ppm, PPM + rate_ppm)


def scale_taxes(taxes: Iterable[Tax], part_minor: int, whole_minor: int) -> tuple[Tax, ...]:
    """Return the taxes of a part of a charge, such as a refund.

    Halves are rounded away from zero. Raises `ZeroDivisionError` for a charge of zero.
    """
    return tuple(replace(tax, amount_minor=divide_half_up(tax.amount_minor * part_minor, whole_minor)) for tax in taxes)


def taxes_of_part(taxes: Iterable[Tax], before_minor: int, part_minor: int, whole_minor: int) -> tuple[Tax, ...]:
    """Return the taxes of the next part of a charge, after parts of `before_minor`.

    The taxes of consecutive parts add up to those of the charge.
    """
    return tuple(
        replace(
            tax,
            amount_minor=divide_half_up(tax.amount_minor * (before_minor + part_minor), whole_minor)
            - divide_half_up(tax.amount_minor * before_minor, whole_minor),
        )
        for tax in taxes
    )


def sum_taxes(lines: Iterable[tuple[int, Sequence[Tax]]]) -> list[TaxSum]:
    """Return the taxes of gross amounts by name and rate, highest rate first.

    Amounts without tax are listed at a rate of zero.
    """
    sums: dict[tuple[str, int], TaxSum] = {}
    for gross_minor, taxes in lines:
        net_minor = gross_minor - sum(tax.amount_minor for tax in taxes)
        for tax in taxes or (Tax(name="", rate_bp=0, amount_minor=0),):
            key = (tax.name, tax.ppm)
            before = sums.get(key)
            sums[key] = TaxSum(
                name=tax.name,
                rate_bp=tax.rate_bp,
                rate_ppm=tax.ppm,
                net_minor=(before.net_minor if before else 0) + net_minor,
                amount_minor=(before.amount_minor if before else 0) + tax.amount_minor,
            )
    return sorted(sums.values(), key=lambda each: (-each.rate_ppm, each.name))
