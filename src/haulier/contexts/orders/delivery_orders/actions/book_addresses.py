"""Orders whose addresses are named by their ids in the address book."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.places.public import BookAddress, get_book_addresses
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

ENDS = {"recipient_address_id": "consignee", "sender_address_id": "shipper"}
COPIED = ("name", "address", "unit", "city", "region", "postal_code", "country", "phone", "email", "lat", "lng")


async def fill_addresses(call: Call, requests: Sequence[CreateOrder]) -> list[CreateOrder | OperationError]:
    """The requests with the addresses that they name, in one statement; the error of one that names none of the book."""
    ids = {id for request in requests for field in ENDS if (id := getattr(request, field)) is not None}
    if not ids:
        return list(requests)
    book = await get_book_addresses(call, ids)
    return [_filled(request, book) for request in requests]


def _filled(request: CreateOrder, book: dict[int, BookAddress]) -> CreateOrder | OperationError:
    named = {field: id for field in ENDS if (id := getattr(request, field)) is not None}
    if unknown := [FieldError(field, "field.no_such_address") for field, id in named.items() if id not in book]:
        return INVALID_REQUEST.for_fields(*unknown)
    ends: dict[str, Any] = {ENDS[field]: _order_address(book[id]) for field, id in named.items()}
    return request.model_copy(update={**ends, **dict.fromkeys(named)}) if named else request


def _order_address(row: BookAddress) -> OrderAddress:
    """An address of the book as an order has it. Its gate code stays in the book."""
    given = {name: getattr(row, name) for name in COPIED}
    return OrderAddress.model_validate({**given, "notes": row.access_notes})
