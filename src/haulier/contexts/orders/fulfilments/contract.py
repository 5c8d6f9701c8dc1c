"""Request and response models of fulfilments."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId, FulfilmentId, LockerParcelId, PartnerOfferId, PieceId


class ListFulfilments(Request):
    """Reference to an order."""

    order_id: RecordId
    """ID of the order."""


class FulfilmentRef(Request):
    """Reference to a fulfilment of an order."""

    order_id: RecordId
    """ID of the order."""
    fulfilment_id: Annotated[FulfilmentId, Field(min_length=1, max_length=30, pattern="^[A-Za-z0-9_-]+$")] = Field(
        examples=["order-41"]
    )
    """ID of the fulfilment."""


class FulfilmentPackage(Answer):
    """Package of a fulfilment and its latest tracking status."""

    number: Annotated[int, doc("Number of the package within the fulfilment, from 1.")]
    package_id: Annotated[PieceId | None, doc("Package of the order; null if the carrier's parcels differ.")]
    tracking_number: Annotated[str | None, doc("Tracking number; null until a label is bought.")]
    weight_g: int | None
    tracking_status: Annotated[str | None, doc("Latest status on the timeline.", "in_transit")]
    place: Annotated[str | None, doc("Place of the latest status.", "Ottawa, CA")]
    tracked_at: Annotated[datetime | None, doc("Time of the latest status.")]


class OrderFulfilment(Priced):
    """Way in which an order is carried out, with its packages."""

    id: Annotated[
        FulfilmentId,
        doc(
            "`order-<id>` for a delivery by us or a partner, `shipment-<id>` for a label, `freight-<id>` for freight, "
            "`return-<id>` for a drop-off."
        ),
    ]
    order_id: Annotated[
        int, doc("Order that it carries out; the return order for a return, the part of a divided order.")
    ]
    direction: Annotated[str, doc("`outbound` for a delivery, `return` for goods that come back.", "outbound")]
    order_return_id: Annotated[int | None, doc("Return that it carries out; null for a delivery.")] = None
    part_number: Annotated[int, doc("Number of the part of the order, from 1. 1 if the order was not divided.")] = 1
    part_count: Annotated[int, doc("Number of parts of the order.")] = 1
    backorder_id: Annotated[int | None, doc("Backorder that waits for stock; null if none does.")] = None
    expected_on: Annotated[date | None, doc("Day on which backordered goods are expected.")] = None
    method: Annotated[
        str,
        doc(
            "One of own_fleet, contractor, partner, locker, carrier, freight, customer_pickup or "
            "drop_off (brought by the customer).",
            "carrier",
        ),
    ]
    status: Annotated[
        str,
        doc(
            "One of waiting, ready_for_pickup, booked, in_transit, out_for_delivery, delivered, failed, returned, "
            "refused or cancelled."
        ),
    ]
    current: Annotated[bool, doc("False for voided labels.")]
    carried_by: Annotated[str | None, doc("Name of the driver, contractor, partner or carrier.", "UPS")]
    service: Annotated[str | None, doc("Name of the service.")]
    tracking_numbers: list[str]
    packages: list[FulfilmentPackage]
    promised_by: Annotated[datetime | None, doc("Promised or planned delivery time.")]
    route_id: int | None = None
    stop_number: int | None = None
    driver_id: DriverId | None = None
    contractor_id: int | None = None
    partner_offer_id: PartnerOfferId | None = None
    shipment_id: int | None = None
    freight_shipment_id: int | None = None
    locker_parcel_id: LockerParcelId | None = None
    locker: Annotated[str | None, doc("Pickup site and compartment of the locker.", "Union Station, A 4")] = None
    pickup_depot_id: Annotated[int | None, doc("Depot where the customer collects it.")] = None
    pickup_depot: Annotated[str | None, doc("Name of that depot.", "Toronto depot")] = None
    pickup_until: Annotated[date | None, doc("Last day on which it is held there.")] = None
    price_family: Annotated[
        str,
        doc("`local_delivery` for a price of the rate card, `label_service` for a label, `ltl_service` for freight."),
    ]
    shipping_price: Annotated[int | UnsetType | None, price_by("price_family", "Price in minor units.")] = UNSET
    currency: Annotated[str | UnsetType | None, price_by("price_family", "ISO 4217.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType | None, price_by("price_family", "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    created_at: datetime
    updated_at: datetime


class FulfilmentList(Answer):
    """Fulfilments of an order, current ones first."""

    result: bool = True
    fulfilments: list[OrderFulfilment]


class FulfilmentAnswer(Answer):
    """Fulfilment of an order."""

    result: bool = True
    fulfilment: OrderFulfilment
