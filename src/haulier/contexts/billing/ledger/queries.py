"""Queries for customers' credit and the ledger."""

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import REFUNDABLE, AccountKind, shown_balance
from haulier.contexts.billing.ledger.store import accounts as store
from haulier.contexts.billing.ledger.store.checks import list_faults
from haulier.contexts.billing.ledger.store.lines import EntryLineRow as EntryLineRow
from haulier.contexts.billing.ledger.store.lines import list_entry_lines
from haulier.contexts.billing.ledger.store.listings import ListedTransferRow as ListedTransferRow
from haulier.contexts.billing.ledger.store.listings import StatementRow as StatementRow
from haulier.contexts.billing.ledger.store.listings import (
    get_newest_entry_before,
    list_entries,
    list_subject_charges,
    list_transfer_entries,
    list_transfers_between,
    sum_owed_accounts,
)
from haulier.contexts.billing.ledger.store.postings import get_transfer, get_transfer_by_key, get_transfers
from haulier.contexts.billing.ledger.store.tables import AccountRow, left_of
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


class SubjectCharge(Struct, frozen=True, kw_only=True):
    """Charge of a record to a customer. `left_minor` can still be refunded."""

    id: int
    item: str | None
    price_family: str | None
    currency: str
    amount_minor: int
    left_minor: int


async def list_charges_of(
    call: Call, first: tuple[str, Collection[int]], second: tuple[str, Collection[int]]
) -> Sequence[SubjectCharge]:
    """Return the charges of records of two kinds, oldest first.

    A kind is named with its ids, such as `("order", [7])`. One statement.
    """
    return [
        SubjectCharge(
            id=row.id,
            item=row.item,
            price_family=row.price_family,
            currency=row.currency,
            amount_minor=row.amount_minor,
            left_minor=left_of(row),
        )
        for row in await list_subject_charges(call.work, first, second)
    ]


async def get_refundable_amounts(call: Call, transfer_ids: Sequence[int]) -> dict[int, int]:
    """Return the refundable amounts of charges, by transfer. One statement."""
    return {row.id: left_of(row) for row in await get_transfers(call.work, transfer_ids)}


class Credit(Struct, frozen=True, kw_only=True):
    """Credit of a customer in one currency."""

    customer_id: int
    balance: Money
    """Balance. Negative for debt within the limit."""
    held: Money
    limit: Money
    """Amount by which the balance may fall below zero."""

    @property
    def available(self) -> Money:
        """Return the available amount: balance and limit, less holds. At least zero."""
        free = self.balance + self.limit - self.held
        return Money(max(0, free.minor), free.currency)


async def list_credits(call: Call, customer_id: int) -> Sequence[Credit]:
    """Return a customer's credit in each currency they have used, by currency."""
    return [credit_of(row) for row in await store.list_accounts_of_owner(call.work, AccountKind.WALLET, customer_id)]


def credit_of(row: AccountRow) -> Credit:
    """Return the credit that a wallet is."""
    return Credit(
        customer_id=row.owner_id,
        balance=Money(row.balance_minor, row.currency),
        held=Money(row.held_minor, row.currency),
        limit=Money(-(row.floor_minor or 0), row.currency),
    )


async def get_wallet(call: Call, customer_id: int, currency: str) -> AccountRow | None:
    """Return a customer's wallet in a currency, or None if they never had one."""
    rows = await store.list_accounts_of_owner(call.work, AccountKind.WALLET, customer_id)
    return next((row for row in rows if row.currency == currency), None)


async def find_payer(call: Call, transfer_id: int) -> int | None:
    """Return the customer whose wallet paid a transfer, or None."""
    row = await get_transfer(call.work, transfer_id)
    if row is None:
        return None
    (paid_from,) = await store.get_account_keys(call.work, row.debit_account_id)
    return paid_from.owner_id if paid_from.kind is AccountKind.WALLET else None


class Charged(Struct, frozen=True, kw_only=True):
    """Payer and currency of a charge."""

    customer_id: int
    currency: str


async def require_refundable(call: Call, transfer_id: int) -> Charged:
    """Return the payer of a charge. Raises `NOT_FOUND` if no customer paid it."""
    row = await get_transfer(call.work, transfer_id)
    if row is None or row.kind not in REFUNDABLE:
        raise record_not_found(transfer_id=transfer_id)
    payer_id = await find_payer(call, transfer_id)
    if payer_id is None:
        raise record_not_found(transfer_id=transfer_id)
    return Charged(customer_id=payer_id, currency=row.currency)


async def balance_of(call: Call, customer_id: int, currency: str | None = None) -> Credit:
    """Return a customer's credit in a currency, by default the business's own.

    Return a zero credit if they never had any.
    """
    currency = currency or call.business.currency
    if wallet := await get_wallet(call, customer_id, currency):
        return credit_of(wallet)
    nothing = Money(0, currency)
    return Credit(customer_id=customer_id, balance=nothing, held=nothing, limit=nothing)


async def check_ledger(work: UnitOfWork) -> list[str]:
    """Return the ledger's inconsistencies, one line per record, or an empty list."""
    return [
        f"{rule}: record {row.id} says {row.found}, the others say {row.expected}"
        for rule, rows in (await list_faults(work)).items()
        for row in rows
    ]


async def load_entry_lines(call: Call, transfer_ids: Sequence[int]) -> dict[int, EntryLineRow]:
    """Return the lines of charges and of their refunds, by transfer.

    A transfer without a line, or with a line without taxes, contains the default tax of its invoice.
    """
    return await list_entry_lines(call.work, transfer_ids)


async def is_posted(call: Call, key: str) -> bool:
    """Return True if a transfer is recorded under a key."""
    return await get_transfer_by_key(call.work, key) is not None


async def count_owed_accounts(call: Call, kind: AccountKind) -> list[tuple[int, Money]]:
    """Return the number and sum of non-empty accounts of a kind, by currency."""
    rows = await sum_owed_accounts(call.work, kind)
    return [(row.owners, Money(shown_balance(kind, row.balance_minor), row.currency)) for row in rows]


async def list_wallet_entries(
    call: Call, wallet: AccountRow, *, after: int, last: int, limit: int
) -> Sequence[StatementRow]:
    """Return wallet entries between two numbers, oldest first, for billing."""
    return await list_entries(call.work, wallet.id, after=after, last=last, limit=limit)


async def list_entries_of_transfers(
    call: Call, wallet: AccountRow, transfer_ids: Collection[int], *, after: int
) -> Sequence[StatementRow]:
    """Return the wallet's entries of some transfers after an entry, oldest first."""
    return await list_transfer_entries(call.work, wallet.id, transfer_ids, after=after)


async def newest_seq_before(call: Call, wallet: AccountRow, moment: datetime | None) -> int:
    """Return the newest entry number of a wallet before a moment, or 0.

    Without a moment, return its newest entry number.
    """
    if moment is None:
        return wallet.seq
    newest = await get_newest_entry_before(call.work, wallet.id, moment)
    return newest.seq if newest else 0


async def list_transfers_of_period(
    call: Call, since: datetime, until: datetime, after: tuple[datetime, int], limit: int
) -> Sequence[ListedTransferRow]:
    """Return a page of the transfers of a period in order, for the journal.

    `after` is the time and id of the last transfer of the previous page.
    """
    return await list_transfers_between(call.work, since, until, after, limit)
