"""Request and response models for picking."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.products.contract import PLANNED_PIECES_MAX, Sku
from haulier.contexts.warehouse.stock.contract import LINES_MAX, QUANTITY_MAX, Lot, Quantity, StockMovement
from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.operations.ids import LocationId, PickPackageId, PickTaskId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

REFERENCES_MAX = 50
PARCEL_WEIGHT_MAX_G = 50_000_000


class ListStockReservations(PageRequest):
    """Filters for reservations, oldest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    sku: Sku | None = None
    """Filter by product."""
    picked: bool | None = None
    """If true, only fully picked reservations; if false, only those with items left to pick."""
    in_wave: bool | None = None
    """If true, only reservations that a pick wave covers; if false, only those without a wave."""


class CreatePickWave(Request):
    """Orders to pick in one walk."""

    warehouse_id: RecordId
    """Warehouse."""
    references: Annotated[set[Reference], Field(min_length=1, max_length=REFERENCES_MAX), EachOnce] = Field(
        examples=[["A-1001", "A-1002"]]
    )
    """References of orders to pick."""
    staging_location_id: LocationId
    """Destination: a packing or shipping location of the warehouse."""


class PickWaveRef(Request):
    """Reference to a wave."""

    wave_id: RecordId


class CancelPickWave(PickWaveRef):
    """References to remove from a wave."""

    references: Annotated[set[Reference], Field(max_length=REFERENCES_MAX), EachOnce] = Field(
        default=set(), examples=[["A-1002"]]
    )
    """Filter by these references. Defaults to all."""


class ListPickWaves(PageRequest):
    """Filters for waves, newest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    open: bool | None = None
    """If true, only with open picks; if false, only completed ones."""


class ConfirmedPick(Request):
    """Items picked from a location."""

    task_id: PickTaskId
    """ID of the wave's task."""
    quantity: int = Field(ge=0, le=QUANTITY_MAX, examples=[3])
    """Items picked in this step."""
    short: bool = False
    """If true, the remaining items are missing. They are reserved and picked elsewhere if possible."""


class ConfirmPicks(Request):
    """Picked tasks of a wave."""

    wave_id: RecordId
    lines: list[ConfirmedPick] = Field(min_length=1, max_length=LINES_MAX)
    """Items picked. The whole list is recorded atomically."""


class PackedPieces(Request):
    """Items that are in a package."""

    sku: Sku
    """SKU of the product."""
    quantity: Quantity
    """Number of items."""
    lot: Lot | None = None
    """Lot number."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Serial number."""


class PackStock(Request):
    """A package of picked stock."""

    warehouse_id: RecordId
    """Warehouse."""
    reference: Reference
    """Reference of the order."""
    lines: list[PackedPieces] = Field(default=[], max_length=LINES_MAX)
    """Contents of the package. Optional with a packing plan, unless lots or serial numbers must be distinguished."""
    packing_plan_id: RecordId | None = None
    """Pack a carton of this plan."""
    carton: int | None = Field(default=None, ge=1, le=PLANNED_PIECES_MAX, examples=[1])
    """Number of the carton in the plan, from 1. Defaults to the first unpacked carton."""
    weight_g: int = Field(default=0, ge=0, le=PARCEL_WEIGHT_MAX_G, examples=[1200])
    """Weight in grams. 0 if not weighed: the weight of the packing plan is used, if any."""
    barcode: Lot | None = Field(default=None, examples=["HLTR16KD5632GCM"])
    """Barcode of the package, such as its tracking number."""


class PickPackageRef(Request):
    """Reference to a package."""

    pick_package_id: RecordId


class ListPickPackages(PageRequest):
    """Filters for packages, newest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    reference: Reference | None = None
    """Filter by reference."""
    packing_plan_id: RecordId | None = None
    """Only cartons of this packing plan."""


class ShipStock(Request):
    """Stock to ship."""

    warehouse_id: RecordId
    """Warehouse that the stock leaves."""
    reference: Reference
    """Reference of the reservation."""
    unpicked: bool = False
    """If true, ship unpicked units directly from their locations. Otherwise nothing is shipped while units are left to
    pick."""


class StockReservation(Answer):
    """Reserved stock of a reference in total."""

    warehouse_id: int
    reference: str
    products: Annotated[int, doc("Number of different products.")]
    pieces: int
    to_pick: Annotated[int, doc("Units of these that are not yet at a packing location.")]
    reserved_at: Annotated[datetime, doc("Time of the first reservation.")]


class StockReservationList(PagedAnswer):
    """A page of reservations, oldest first."""

    reservations: list[StockReservation]


class PickTask(Answer):
    """Items to take from a location."""

    id: int
    reference: Annotated[str, doc("Reference of the order.", "A-1001")]
    location_id: LocationId
    location: Annotated[str, doc("Code of the location.", "A-01")]
    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    quantity: Annotated[int, doc("Units to pick.")]
    picked: Annotated[int, doc("Units picked so far.")]
    short: Annotated[int, doc("Units reported missing.")]


class PickWave(Answer):
    """Tasks that are done in one walk."""

    id: int
    warehouse_id: int
    staging_location_id: LocationId
    open: Annotated[bool, doc("True if tasks are left to pick.")]
    tasks: int
    pieces: Annotated[int, doc("Total units to pick.")]
    picked: Annotated[int, doc("Units picked so far.")]
    short: Annotated[int, doc("Units reported missing.")]
    created_at: datetime


class PickWaveCancelled(Answer):
    """Tasks removed from a wave."""

    result: bool = True
    wave_id: int
    removed: Annotated[int, doc("Number of removed tasks. Their stock stays reserved.")]
    tasks: Annotated[
        int, doc("Number of remaining tasks, which are partly picked or short. With 0, the wave is deleted.")
    ]


class PickWaveDetail(Answer):
    """One wave, and its tasks in walking order."""

    result: bool = True
    wave: PickWave
    tasks: list[PickTask]


class PickWaveList(PagedAnswer):
    """A page of waves, newest first."""

    waves: list[PickWave]


class MissingPieces(Answer):
    """Items of a product that are nowhere."""

    reference: str
    sku: str
    quantity: int


class PicksConfirmed(Answer):
    """The wave as it is now, what was moved, and what is nowhere."""

    result: bool = True
    wave: PickWave
    tasks: Annotated[list[PickTask], doc("All tasks in walking order, including replacements for missing units.")]
    movements: list[StockMovement]
    missing: Annotated[list[MissingPieces], doc("Missing units that could not be reserved elsewhere.")]


class PackedLine(Answer):
    """Items in a package."""

    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    quantity: int


class PickPackage(Answer):
    """A package that was packed of what was picked."""

    id: int
    warehouse_id: int
    reference: str
    weight_g: int
    barcode: str | None
    packing_plan_id: Annotated[int | None, doc("Packing plan of the carton.")]
    carton: Annotated[int | None, doc("Number of the carton in the plan, starting at 1.")]
    created_at: datetime
    shipped_at: datetime | None
    lines: list[PackedLine]


class PickPackageAnswer(Answer):
    """One package."""

    result: bool = True
    package: PickPackage


class PickPackageList(PagedAnswer):
    """A page of packages, newest first."""

    packages: list[PickPackage]


class StockShippedAnswer(Answer):
    """Stock that left."""

    result: bool = True
    warehouse_id: int
    reference: str
    movements: list[StockMovement]
    package_ids: Annotated[list[PickPackageId], doc("Number of packages that left with the order.")]
