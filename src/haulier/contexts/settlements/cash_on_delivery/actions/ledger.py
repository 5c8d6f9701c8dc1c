"""Ledger postings of cash-on-delivery entries.

Entries are posted in the transaction that writes them. Amounts due and write-offs move no money. A reversal moves
money back if the entry it reverses was posted.
"""

from typing import Any

from haulier.contexts.billing.public import (
    AccountKey,
    AccountKind,
    MoneySubject,
    TransferKind,
    is_posted,
    make_posting,
    post,
)
from haulier.contexts.settlements.cash_on_delivery.rules.entries import CodEntryKind, CodMethod
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

KINDS = {
    CodEntryKind.COLLECTED: TransferKind.COD_COLLECTED,
    CodEntryKind.HANDED_IN: TransferKind.COD_HANDED_IN,
    CodEntryKind.DIFFERENCE: TransferKind.COD_DIFFERENCE,
}


async def post_cod_entry(call: Call, entry: dict[str, Any], key: str, *, reverses: str | None = None) -> None:
    """Post an entry under a key, once.

    `reverses` is the key of the entry that this one reverses.
    """
    kind = CodEntryKind(entry["kind"])
    if kind not in KINDS or not entry["amount_minor"]:
        return
    if reverses is not None and not await is_posted(call, _ledger_key(reverses)):
        return  # entries older than the ledger were never posted
    debit, credit = _accounts(kind, entry)
    money = Money(entry["amount_minor"], entry["currency"])
    if money.minor < 0:
        debit, credit, money = credit, debit, -money
    order_id = entry["order_id"]
    subject = MoneySubject("order", order_id) if order_id else MoneySubject("driver", entry["driver_id"])
    await post(call, make_posting(KINDS[kind], _ledger_key(key), debit, credit, money, subject=subject))


def _ledger_key(key: str) -> str:
    return f"cod:{key}"


def _accounts(kind: CodEntryKind, entry: dict[str, Any]) -> tuple[AccountKey, AccountKey]:
    """Return the accounts to debit and to credit for a positive amount."""
    driver = AccountKey(AccountKind.DRIVER_CASH, entry["driver_id"] or 0)
    if kind is CodEntryKind.HANDED_IN:
        return AccountKey(AccountKind.CASH), driver
    if kind is CodEntryKind.DIFFERENCE:
        return driver, AccountKey(AccountKind.ADJUSTMENTS)
    customer_id = entry["customer_id"]
    theirs = AccountKey(AccountKind.COD_PAYABLE, customer_id) if customer_id else AccountKey(AccountKind.REVENUE)
    if entry["method"] != CodMethod.CASH:
        return AccountKey(AccountKind.BANK), theirs
    return driver if entry["driver_id"] else AccountKey(AccountKind.CASH), theirs
