"""Rules for distributing a credit note over the charges of an invoice."""

from collections.abc import Mapping, Sequence

from msgspec import Struct


class CreditPart(Struct, frozen=True, kw_only=True):
    """Part of a credit note that refunds one charge."""

    charge_id: int
    minor: int


def distribute_credit(left: Mapping[int, int], minor: int) -> Sequence[CreditPart]:
    """Distribute an amount over charges in order, each up to its remainder."""
    parts: list[CreditPart] = []
    for charge_id, most in left.items():
        part = min(most, minor)
        if part > 0:
            parts.append(CreditPart(charge_id=charge_id, minor=part))
            minor -= part
    return parts
