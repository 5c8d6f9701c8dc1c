"""Rules of credit notes: how an amount is distributed over the charges of an invoice."""

from collections.abc import Mapping, Sequence

from msgspec import Struct


class CreditPart(Struct, frozen=True, kw_only=True):
    """The part of a credit note that gives one charge back."""

    charge_id: int
    minor: int


def distribute_credit(left: Mapping[int, int], minor: int) -> Sequence[CreditPart]:
    """Distribute an amount over charges in their order, each up to what is left of it."""
    parts: list[CreditPart] = []
    for charge_id, most in left.items():
        part = min(most, minor)
        if part > 0:
            parts.append(CreditPart(charge_id=charge_id, minor=part))
            minor -= part
    return parts
