"""What goes in and out of picking."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.packing.contract.plans import PIECES_MAX
from haulier.contexts.warehouse.products.contract import Sku
from haulier.contexts.warehouse.stock.contract import LINES_MAX, QUANTITY_MAX, Lot, Quantity, StockMovement
from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

REFERENCES_MAX = 50
PARCEL_WEIGHT_MAX_G = 50_000_000


class CreatePickWave(Request):
    """What is to be picked in one walk."""

    warehouse_id: RecordId
    """Where."""
    references: Annotated[set[Reference], Field(min_length=1, max_length=REFERENCES_MAX), EachOnce] = Field(
        examples=[["A-1001", "A-1002"]]
    )
    """Whose reserved stock is picked."""
    staging_location_id: RecordId
    """Where it is brought: a packing or shipping location of the warehouse."""


class PickWaveRef(Request):
    """Which wave."""

    wave_id: RecordId


class CancelPickWave(PickWaveRef):
    """What of a wave is not to be picked."""

    references: Annotated[set[Reference], Field(max_length=REFERENCES_MAX), EachOnce] = Field(
        default=set(), examples=[["A-1002"]]
    )
    """Only what is for these; everything when left out."""


class ListPickWaves(PageRequest):
    """Which waves, the newest first."""

    warehouse_id: RecordId | None = None
    """Only those of this warehouse."""
    open: bool | None = None
    """Only those in which something is left to pick, or only those that are done."""


class ConfirmedPick(Request):
    """What was taken from a location."""

    task_id: RecordId
    """Which task of the wave."""
    quantity: int = Field(ge=0, le=QUANTITY_MAX, examples=[3])
    """Pieces that were taken now."""
    short: bool = False
    """The rest is not there: it is reserved elsewhere, where there is some, and picked there."""


class ConfirmPicks(Request):
    """What was picked."""

    wave_id: RecordId
    lines: list[ConfirmedPick] = Field(min_length=1, max_length=LINES_MAX)
    """What was taken. All of it is written down, or nothing."""


class PackedPieces(Request):
    """Pieces that are in a package."""

    sku: Sku
    """Which product."""
    quantity: Quantity
    """How many pieces."""
    lot: Lot | None = None
    """Of which lot."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Which piece."""


class PackStock(Request):
    """A package that is packed of what was picked."""

    warehouse_id: RecordId
    """Where it was picked."""
    reference: Reference
    """What it was picked for."""
    lines: list[PackedPieces] = Field(default=[], max_length=LINES_MAX)
    """What is in it. With a packing plan it may be left out, unless lots or serial numbers are to be told apart."""
    packing_plan_id: RecordId | None = None
    """Pack a carton of this plan."""
    carton: int | None = Field(default=None, ge=1, le=PIECES_MAX, examples=[1])
    """The number of the carton in the plan, from 1; the first that is not packed yet when left out."""
    weight_g: int = Field(default=0, ge=0, le=PARCEL_WEIGHT_MAX_G, examples=[1200])
    """What it weighs in grams; 0 where nobody weighed it: then it is what the plan says, if there is one."""
    barcode: Lot | None = Field(default=None, examples=["HLTR16KD5632GCM"])
    """What is printed on it, such as its tracking number."""


class PickPackageRef(Request):
    """Which package."""

    pick_package_id: RecordId


class ListPickPackages(PageRequest):
    """Which packages, the newest first."""

    warehouse_id: RecordId | None = None
    """Only those of this warehouse."""
    reference: Reference | None = None
    """Only those for this."""
    packing_plan_id: RecordId | None = None
    """Only cartons of this packing plan."""


class ShipStock(Request):
    """Stock that leaves."""

    warehouse_id: RecordId
    """Which warehouse it leaves."""
    reference: Reference
    """What it was reserved for."""
    unpicked: bool = False
    """Ship also what was never picked, straight from its locations. Otherwise nothing is shipped while some is left to pick."""


class PickTask(Answer):
    """Pieces to take from a location."""

    id: int
    reference: Annotated[str, doc("What they are for.", "A-1001")]
    location_id: int
    location: Annotated[str, doc("The location's code.", "A-01")]
    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    quantity: Annotated[int, doc("Pieces to take.")]
    picked: Annotated[int, doc("Of these, pieces that were taken.")]
    short: Annotated[int, doc("Of these, pieces that were not there.")]


class PickWave(Answer):
    """Tasks that are done in one walk."""

    id: int
    warehouse_id: int
    staging_location_id: int
    open: Annotated[bool, doc("Whether something is left to pick.")]
    tasks: int
    pieces: Annotated[int, doc("Pieces to take, in all.")]
    picked: Annotated[int, doc("Of these, pieces that were taken.")]
    short: Annotated[int, doc("Of these, pieces that were not there.")]
    created_at: datetime


class PickWaveCancelled(Answer):
    """What was taken out of a wave."""

    result: bool = True
    wave_id: int
    removed: Annotated[int, doc("Tasks that were taken out. What they were about stays reserved.")]
    tasks: Annotated[
        int, doc("Tasks that stay, since something of them was picked or is short. With none the wave is gone.")
    ]


class PickWaveDetail(Answer):
    """One wave, and its tasks in walking order."""

    result: bool = True
    wave: PickWave
    tasks: list[PickTask]


class PickWaveList(PagedAnswer):
    """A page of waves, the newest first."""

    waves: list[PickWave]


class MissingPieces(Answer):
    """Pieces of a product that are nowhere."""

    reference: str
    sku: str
    quantity: int


class PicksConfirmed(Answer):
    """The wave as it is now, what was moved, and what is nowhere."""

    result: bool = True
    wave: PickWave
    tasks: Annotated[
        list[PickTask], doc("All tasks in walking order, with those that stand in for what was not there.")
    ]
    movements: list[StockMovement]
    missing: Annotated[list[MissingPieces], doc("What was short and could not be reserved elsewhere.")]


class PackedLine(Answer):
    """Pieces in a package."""

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
    packing_plan_id: Annotated[int | None, doc("The packing plan of which it is a carton.")]
    carton: Annotated[int | None, doc("The number of the carton in the plan, from 1.")]
    created_at: datetime
    shipped_at: datetime | None
    lines: list[PackedLine]


class PickPackageAnswer(Answer):
    """One package."""

    result: bool = True
    package: PickPackage


class PickPackageList(PagedAnswer):
    """A page of packages, the newest first."""

    packages: list[PickPackage]


class StockShippedAnswer(Answer):
    """What left."""

    result: bool = True
    warehouse_id: int
    reference: str
    movements: list[StockMovement]
    package_ids: Annotated[list[int], doc("Packages that left with it.")]
