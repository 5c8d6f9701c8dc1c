"""Request and response models for stored packages."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.documents.files.contract import FileUpload
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.operations.ids import LocationId, StoredPackageId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DESCRIPTION_MAX, REFERENCE_MAX = 200, 80
WEIGHT_MAX_G, SIDE_MAX_MM = 50_000_000, 50_000
PHOTOS_MAX = 10

StateOfPackage = Literal["stored", "promised", "shipped", "returned"]
PackageDescription = Annotated[str, Field(max_length=DESCRIPTION_MAX, pattern=NO_NUL)]
PackageReference = Annotated[str, Field(min_length=1, max_length=REFERENCE_MAX, pattern=NO_NUL)]


class MeasuredPackage(Request):
    """Weight and dimensions of a package."""

    weight_g: int = Field(ge=1, le=WEIGHT_MAX_G, examples=[12_000])
    """Weight in grams."""
    length_mm: int = Field(ge=1, le=SIDE_MAX_MM, examples=[600])
    """Length in millimetres."""
    width_mm: int = Field(ge=1, le=SIDE_MAX_MM, examples=[400])
    """Width in millimetres."""
    height_mm: int = Field(ge=1, le=SIDE_MAX_MM, examples=[400])
    """Height in millimetres."""


class ArrivedPackage(MeasuredPackage):
    """A package that came."""

    location_id: LocationId
    """Warehouse location."""
    description: PackageDescription = Field(default="", examples=["Winter tyres"])
    """Kind of device."""
    reference: PackageReference | None = Field(default=None, examples=["BOX-1"])
    """Reference written on the package."""


class ListStoredPackages(PageRequest):
    """Filters for your stored packages. All filters must match."""

    state: StateOfPackage | None = None
    """Filter by state. `stored` packages are in stock and not assigned to a ship-out."""
    storage_order_id: RecordId | None = None
    """Received for this order."""
    shipout_id: RecordId | None = None
    """Filter by ship-out."""
    reference: PackageReference | None = Field(default=None, examples=["BOX-1"])
    """Filter by reference."""


class ListCustomerPackages(ListStoredPackages):
    """Filters for stored packages of customers."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    location_id: LocationId | None = None
    """Filter by location."""


class StoredPackageRef(Request):
    """Reference to a stored package."""

    package_id: StoredPackageId
    """ID of the package."""


class AddPackagePhoto(FileUpload):
    """A picture of a package."""

    package_id: StoredPackageId
    """ID of the package."""


class StoredPackageRecord(Answer):
    """A package of a customer."""

    id: int
    state: Annotated[str, doc("stored, promised (a ship-out will take it), shipped or returned.", "stored")]
    customer_id: int
    storage_order_id: Annotated[int, doc("Storage order of the package.")]
    shipout_id: Annotated[int | None, doc("Ship-out of the package.")]
    description: str
    reference: Annotated[str | None, doc("Reference written on the package.", "BOX-1")]
    weight_g: Annotated[int, doc("Weight in grams.")]
    length_mm: Annotated[int, doc("Length in millimetres.")]
    width_mm: Annotated[int, doc("Width in millimetres.")]
    height_mm: Annotated[int, doc("Height in millimetres.")]
    photo_ids: Annotated[list[int], doc("IDs of the picture files.")]
    warehouse_id: int
    location_id: LocationId
    received_at: datetime
    left_at: Annotated[datetime | None, doc("Time of departure; null while it is stored.")]


class StoredPackageAnswer(Answer):
    """One package."""

    result: bool = True
    stored_package: StoredPackageRecord


class StoredPackageList(PagedAnswer):
    """A page of packages, newest first."""

    stored_packages: list[StoredPackageRecord]
