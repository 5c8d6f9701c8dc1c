"""Request and response models for warehouses and their locations."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, RecordId
from haulier.kernel.operations.ids import LocationId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ADDRESS_MAX, CODE_MAX, BARCODE_MAX, REFERENCE_MAX = 300, 40, 80, 80
LOCATIONS_MAX = 500
CAPACITY_MAX = 1_000_000_000

Address = Annotated[str, Field(max_length=ADDRESS_MAX, pattern=NO_NUL)]
WarehouseCode = Annotated[
    str, Field(min_length=1, max_length=CODE_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["A-01-2"])
]
"""Code on walls and shelves: letters, digits, `.`, `_`, `-`."""
Barcode = Annotated[
    str, Field(min_length=1, max_length=BARCODE_MAX, pattern=r"^[\x20-\x7e]*$", examples=["YYZ-A-01-2"])
]


def _strip_scan(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


ScannedBarcode = Annotated[Barcode, BeforeValidator(_strip_scan)]
"""A barcode as a scanner sends it; surrounding white space is removed."""
Reference = Annotated[str, Field(min_length=1, max_length=REFERENCE_MAX, pattern=NO_NUL, examples=["A-1001"])]
"""Reference of an order, an inbound shipment or a delivery note that stock is for or comes with."""


class LocationKind(StrEnum):
    """Kinds of locations."""

    STORAGE = "storage"
    RECEIVING = "receiving"
    PICKING = "picking"
    PACKING = "packing"
    SHIPPING = "shipping"
    RETURNS = "returns"
    QUARANTINE = "quarantine"
    """Stock here can be neither reserved nor picked."""


STAGING_KINDS = frozenset({LocationKind.PACKING, LocationKind.SHIPPING})
"""Locations where picked stock waits."""


class ListWarehouses(PageRequest):
    """Filters for warehouses."""

    closed: bool = False
    """If true, include closed ones."""


class WarehouseRef(Request):
    """Reference to a warehouse."""

    warehouse_id: RecordId


class CreateWarehouse(Request):
    """A new warehouse."""

    code: WarehouseCode = Field(examples=["YYZ"])
    """A short code, unique in the business."""
    name: Name = Field(examples=["Toronto"])
    """Name of the warehouse."""
    address: Address = ""
    """Address."""
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude | None = None
    """Longitude in decimal degrees (WGS 84)."""


class UpdateWarehouse(Request):
    """Fields to change. Omitted fields keep their values."""

    warehouse_id: RecordId
    name: Name | None = None
    address: Address | None = None
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude | None = None
    """Longitude in decimal degrees (WGS 84)."""
    closed: bool | None = None
    """If true, the warehouse takes no new stock."""


class NewLocation(Request):
    """A new location."""

    code: WarehouseCode
    """Unique in the warehouse."""
    zone: WarehouseCode | None = Field(default=None, examples=["A"])
    """Area of the warehouse."""
    kind: LocationKind = LocationKind.STORAGE
    """Kind of location."""
    barcode: Barcode | None = None
    """Barcode, unique in the business. Default: warehouse code, dash and location code."""
    walk_order: int = Field(default=0, ge=0, le=CAPACITY_MAX)
    """Position in the walking order of the warehouse."""
    capacity: int | None = Field(default=None, ge=1, le=CAPACITY_MAX)
    """Items that have room, where that is limited."""


class CreateLocations(Request):
    """New locations of a warehouse: all of them, or none."""

    warehouse_id: RecordId
    locations: list[NewLocation] = Field(min_length=1, max_length=LOCATIONS_MAX)
    """Locations to create."""

    @model_validator(mode="after")
    def _codes_once(self) -> "CreateLocations":
        if len({location.code for location in self.locations}) < len(self.locations):
            raise PydanticCustomError("each_once", "a code is there twice")
        return self


class UpdateLocation(Request):
    """Fields to change. Omitted fields keep their values."""

    location_id: LocationId
    zone: WarehouseCode | None = Field(default=None, examples=["A"])
    kind: LocationKind | None = None
    """Kind of location."""
    barcode: Barcode | None = None
    walk_order: int | None = Field(default=None, ge=0, le=CAPACITY_MAX)
    """Position in the walking order of the warehouse."""
    capacity: int | None = Field(default=None, ge=1, le=CAPACITY_MAX)
    """Items that have room."""
    blocked: bool | None = None
    """If true, the location is blocked: no put-away and no reservation."""


class ListLocations(PageRequest):
    """Filters for locations of a warehouse."""

    warehouse_id: RecordId
    zone: WarehouseCode | None = Field(default=None, examples=["A"])
    """Filter by area of the warehouse."""
    kind: LocationKind | None = None
    """Filter by kind."""
    barcode: Barcode | None = None
    """Filter by barcode."""


class PrintLocationLabels(ListLocations):
    """Filters for locations whose labels are printed, one page at a time."""

    format: Literal["pdf", "zpl"] = "pdf"
    """`pdf` with a page of 4 by 2 inches for each, or `zpl` for a printer of labels."""


class Warehouse(Answer):
    """A building in which goods are stored."""

    id: int
    code: str
    name: str
    address: str
    lat: Annotated[float | None, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float | None, doc("Longitude in decimal degrees (WGS 84).")]
    closed: Annotated[bool, doc("If true, the warehouse takes no new stock.")]


class WarehouseAnswer(Answer):
    """One warehouse."""

    result: bool = True
    warehouse: Warehouse


class WarehouseList(PagedAnswer):
    """A page of warehouses, by code."""

    warehouses: list[Warehouse]


class WarehouseLocation(Answer):
    """A place in a warehouse that has a barcode."""

    id: int
    warehouse_id: int
    code: str
    zone: Annotated[str | None, doc("Area of the warehouse.")]
    kind: LocationKind
    barcode: str
    walk_order: Annotated[int, doc("Position in the walking order of the warehouse.")]
    capacity: Annotated[int | None, doc("Capacity in units; null if unlimited.")]
    blocked: Annotated[bool, doc("If true, nothing is put here or reserved from here.")]


class LocationAnswer(Answer):
    """One location."""

    result: bool = True
    location: WarehouseLocation


class LocationsCreated(Answer):
    """The new locations, in the order they were given in."""

    result: bool = True
    locations: list[WarehouseLocation]


class LocationList(PagedAnswer):
    """A page of locations, in walking order."""

    locations: list[WarehouseLocation]


class LocationLabels(Answer):
    """Labels of locations as one document, in walking order."""

    result: bool = True
    total: Annotated[int, doc("Total number of locations. Request further pages one by one.")]
    labels: Annotated[int, doc("Number of labels in this document.")]
    format: str
    media_type: str
    document: Annotated[str, doc("Labels in base64.")]
