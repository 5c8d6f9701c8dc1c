"""The address book, as other contexts read it."""

from collections.abc import Collection

from haulier.contexts.places.address_book.store.addresses import AddressRow as BookAddress
from haulier.contexts.places.address_book.store.addresses import get_address_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Scope

__all__ = ["BookAddress", "get_book_addresses"]


async def get_book_addresses(call: Call, ids: Collection[int]) -> dict[int, BookAddress]:
    """Addresses of the book by id, as far as they are there and the caller may read the book."""
    may_read = call.principal.account in OFFICE and Scope.ADDRESS_READ in call.principal.scopes
    return await get_address_rows(call.work, ids) if may_read else {}
