"""Places of orders: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

OrderEnd = Literal["consignee", "shipper"]


class ListUnplacedOrders(PageRequest):
    """Page of the list."""


class LocateOrder(Request):
    """Reference to an order."""

    order_id: RecordId


class SetOrderLocation(LocateOrder):
    """Location of the address of an order."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    end: OrderEnd | None = None
    """Party whose address is located. Default: the address of the stop, which is the shipper of a pickup and the
    consignee of any other order."""


class UnplacedOrder(Answer):
    """An order whose address could not be located to its street."""

    order_id: int
    tracking_number: str
    order_ref: str | None
    end: Annotated[str, doc("Party whose address it is: consignee or shipper.", "consignee")]
    name: str | None
    address: str
    city: str
    region: str | None
    postal_code: str | None
    country: str
    reason: Annotated[str, doc("unknown: nothing was found. rough: only a town or a postal code was found.", "rough")]
    lat: Annotated[float | None, doc("Centre of the postal code or town, if known. Not used for routes.")]
    lng: float | None
    quality: Annotated[str | None, doc("Precision of these coordinates: postal_code or town.", "town")]
    tried_at: Annotated[datetime, doc("Time of the last attempt to locate the address.")]


class UnplacedOrderList(PagedAnswer):
    """A page of orders without a location, oldest first."""

    orders: list[UnplacedOrder]


class OrderPlace(Answer):
    """Location of the address of an order."""

    result: Annotated[bool, doc("True if the address has coordinates now.")]
    message: str
    order_id: int
    lat: float | None
    lng: float | None
    quality: Annotated[str | None, doc("pin if the location was just set manually; otherwise null.", "pin")]
