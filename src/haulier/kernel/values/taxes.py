"""Taxes of a charge: their names, rates and amounts."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from haulier.kernel.values.rounding import BASIS_POINTS, divide_half_up


class Tax(Struct, frozen=True, kw_only=True):
    """Tax within a gross amount."""

    name: str
    rate_bp: int
    """Rate in hundredths of a percent."""
    amount_minor: int
    """Amount in minor units. Negative on a refund."""


class TaxSum(Struct, frozen=True, kw_only=True):
    """Tax of one name and rate on a document."""

    name: str
    rate_bp: int
    net_minor: int
    """Taxed amount in minor units, without the tax."""
    amount_minor: int


def tax_within(gross_minor: int, rate_bp: int) -> int:
    """Return the tax included in a gross amount.

    The rate is in hundredths of a percent. Halves are rounded away from zero.
    """
    return divide_half_up(gross_minor * rate_bp, BASIS_POINTS + rate_bp)


def scale_taxes(taxes: Iterable[Tax], part_minor: int, whole_minor: int) -> tuple[Tax, ...]:
    """Return the taxes of a part of a charge, such as a refund.

    Halves are rounded away from zero. Raises `ZeroDivisionError` for a charge of zero.
    """
    return tuple(
        Tax(name=tax.name, rate_bp=tax.rate_bp, amount_minor=divide_half_up(tax.amount_minor * part_minor, whole_minor))
        for tax in taxes
    )


def taxes_of_part(taxes: Iterable[Tax], before_minor: int, part_minor: int, whole_minor: int) -> tuple[Tax, ...]:
    """Return the taxes of the next part of a charge, after parts of `before_minor`.

    The taxes of consecutive parts add up to those of the charge.
    """
    return tuple(
        Tax(
            name=tax.name,
            rate_bp=tax.rate_bp,
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
            key = (tax.name, tax.rate_bp)
            before = sums.get(key) or TaxSum(name=tax.name, rate_bp=tax.rate_bp, net_minor=0, amount_minor=0)
            sums[key] = TaxSum(
                name=tax.name,
                rate_bp=tax.rate_bp,
                net_minor=before.net_minor + net_minor,
                amount_minor=before.amount_minor + tax.amount_minor,
            )
    return sorted(sums.values(), key=lambda each: (-each.rate_bp, each.name))
