"""From whom the prices of orders are hidden."""

from collections.abc import Collection

from haulier.kernel.operations.enums import Account, PriceFamily

WITHOUT_PRICES = frozenset({Account.CONTRACTOR, Account.DRIVER})
"""Who drives for the client sees what they are paid, never what its customers pay."""


def hidden_price_families(account: Account, hidden: Collection[str]) -> frozenset[PriceFamily]:
    """The price families that a user does not see: every one for who drives, else those that the client hides from them.

    `hidden` are the names stored for the user; a name that only another version of the platform knows is left out.
    """
    return frozenset(family for family in PriceFamily if account in WITHOUT_PRICES or family.value in hidden)
