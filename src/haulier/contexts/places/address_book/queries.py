"""The address book, as other contexts read it."""

from collections.abc import Collection

from haulier.contexts.places.address_book.store import OFFICE_BOOK, get_address_rows, get_default_sender_rows
from haulier.contexts.places.address_book.store import AddressRow as BookAddress
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

__all__ = ["BookAddress", "get_book_addresses", "get_default_senders", "get_office_sender"]


def book_of(call: Call) -> int:
    """The book that a caller writes into: a customer's own, else the business's."""
    return call.actor or OFFICE_BOOK if call.principal.account is Account.CUSTOMER else OFFICE_BOOK


def readable_book(call: Call, asked: int | None = None) -> int | None:
    """Return the only book that a caller reads, or None for all.

    Customers read their own, staff the requested one or all. Raises `INVALID_REQUEST` if a customer requests another
    one.
    """
    if call.principal.account is not Account.CUSTOMER:
        return asked
    if asked not in (None, call.actor):
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
    return book_of(call)


def _may_read(call: Call) -> bool:
    return call.principal.account in OFFICE | {Account.CUSTOMER} and Scope.ADDRESS_READ in call.principal.scopes


async def get_book_addresses(call: Call, ids: Collection[int]) -> dict[int, BookAddress]:
    """Return the addresses with these ids that exist and that the caller may read."""
    return await get_address_rows(call.work, ids, book=readable_book(call)) if _may_read(call) else {}


async def get_default_senders(call: Call, customer_ids: Collection[int | None]) -> dict[int | None, BookAddress]:
    """Return the default sender of each customer, and of None, in one statement.

    A customer's own default sender, else that of the business, which customers do not get. None for callers who may not
    read the book.
    """
    if not _may_read(call):
        return {}
    own = readable_book(call)
    if own is not None:
        rows = await get_default_sender_rows(call.work, [own])
        return dict.fromkeys(customer_ids, rows[own]) if own in rows else {}
    rows = await get_default_sender_rows(call.work, {OFFICE_BOOK, *filter(None, customer_ids)})
    known = {id: rows.get(id or OFFICE_BOOK) or rows.get(OFFICE_BOOK) for id in customer_ids}
    return {id: row for id, row in known.items() if row}


async def get_office_sender(work: UnitOfWork) -> BookAddress | None:
    """The business's own default sender, or None."""
    return (await get_default_sender_rows(work, [OFFICE_BOOK])).get(OFFICE_BOOK)
