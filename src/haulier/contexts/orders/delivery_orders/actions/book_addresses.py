"""Orders whose addresses are named by their ids in the address book."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.places.public import BookAddress, get_book_addresses, get_default_senders
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

ENDS = {"recipient_address_id": "consignee", "sender_address_id": "shipper"}
COPIED = ("name", "address", "unit", "city", "region", "postal_code", "country", "phone", "email", "lat", "lng")


async def fill_addresses(call: Call, requests: Sequence[CreateOrder]) -> list[CreateOrder | OperationError]:
    """The requests with the addresses that they name, and with the default sender where they name none and need one.

    At most two statements; the error of a request that names no address of the book, or needs a sender that nobody knows.
    """
    ids = {id for request in requests for field in ENDS if (id := getattr(request, field)) is not None}
    book = await get_book_addresses(call, ids) if ids else {}
    named: list[CreateOrder | OperationError] = [_filled(request, book) if ids else request for request in requests]
    unsent = [request for request in named if isinstance(request, CreateOrder) and _lacks_sender(request)]
    if not unsent:
        return named
    senders = await get_default_senders(call, {request.customer_id for request in unsent})
    return [_sent(request, senders) for request in named]


def _lacks_sender(request: CreateOrder) -> bool:
    """Whether somebody has to be visited who is not named. A delivery comes from the depot, and needs no sender."""
    return request.type != "D" and request.shipper is None


def _sent(
    request: CreateOrder | OperationError, senders: Mapping[int | None, BookAddress]
) -> CreateOrder | OperationError:
    if isinstance(request, OperationError) or not _lacks_sender(request):
        return request
    if (sender := senders.get(request.customer_id)) is None:
        return INVALID_REQUEST.for_fields(FieldError("shipper", "field.shipper_needed"))
    return request.model_copy(update={"shipper": _order_address(sender)})


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
