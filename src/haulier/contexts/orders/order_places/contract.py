"""Places of orders: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

OrderEnd = Literal["consignee", "shipper"]


class ListUnplacedOrders(PageRequest):
    """Which page of the queue."""


class LocateOrder(Request):
    """Which order."""

    order_id: RecordId


class PlaceOrder(LocateOrder):
    """Where an order's address is."""

    lat: Latitude
    """Degrees north, WGS 84."""
    lng: Longitude
    """Degrees east, WGS 84."""
    end: OrderEnd | None = None
    """Whose address; that of the stop when left out: the shipper's of a pickup, the consignee's of any other order."""


class UnplacedOrder(Answer):
    """An order whose address nobody could find as exactly as its street."""

    order_id: int
    tracking_number: str
    order_ref: str | None
    end: Annotated[str, doc("Whose address: consignee or shipper.", "consignee")]
    name: str | None
    address: str
    city: str
    region: str | None
    postal_code: str | None
    country: str
    reason: Annotated[str, doc("unknown: nothing was found. rough: no more than a town or a postal code.", "rough")]
    lat: Annotated[
        float | None, doc("The middle of the postal code or town, where that is known; no driver is sent there.")
    ]
    lng: float | None
    quality: Annotated[str | None, doc("How exact these coordinates are: postal_code or town.", "town")]
    tried_at: Annotated[datetime, doc("When it was last looked for.")]


class UnplacedOrderList(PagedAnswer):
    """A page of the queue, the oldest order first."""

    orders: list[UnplacedOrder]


class OrderPlace(Answer):
    """Where an order's address is now."""

    result: Annotated[bool, doc("True when it has coordinates now.")]
    message: str
    order_id: int
    lat: float | None
    lng: float | None
    quality: Annotated[str | None, doc("pin where a person has just put one; else null.", "pin")]
