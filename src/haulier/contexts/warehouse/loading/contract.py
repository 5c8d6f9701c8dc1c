"""Request and response models for loading."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.warehouse.warehouses.contract import ScannedBarcode
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId

SCANS_MAX = 200

LoadState = Literal["loaded", "loaded_before", "taken_off", "unexpected"]


class LoadCheckRef(Request):
    """Reference to a route."""

    route_id: RecordId


class ScanLoad(LoadCheckRef):
    """Parcels that go into the vehicle of a route."""

    barcodes: list[ScannedBarcode] = Field(min_length=1, max_length=SCANS_MAX, examples=[["HLTR16KD5632GCM"]])
    """Tracking numbers of packages, or of orders with one package."""
    take_off: bool = False
    """If true, remove the parcels from the vehicle."""


class LoadParcel(Answer):
    """A parcel that a route takes from the warehouse."""

    tracking_number: Annotated[str, doc("Tracking number of the package, printed on its label.", "HLTR16KD5632GCM")]
    order_id: int
    order_ref: str | None


class LoadCheck(Answer):
    """Parcels that a route takes from the warehouse, and those in its vehicle."""

    route_id: int
    expected: Annotated[int, doc("Number of parcels that the route takes from the warehouse, without pickups.")]
    loaded: Annotated[int, doc("Number of these parcels that are in the vehicle.")]
    complete: Annotated[bool, doc("True if nothing is missing and nothing is surplus.")]
    missing: Annotated[list[LoadParcel], doc("Parcels that are not in the vehicle, by stop.")]
    too_much: Annotated[list[str], doc("Parcels in the vehicle that no longer belong to the route.")]


class LoadCheckAnswer(Answer):
    """The load of a route."""

    result: bool = True
    load: LoadCheck


class LoadScanned(Answer):
    """Result of a scan."""

    barcode: str
    state: Annotated[
        LoadState,
        doc(
            "loaded, loaded_before, taken_off, or unexpected: the parcel does not belong to the route and was not recorded."
        ),
    ]


class LoadScansAnswer(Answer):
    """Results of scans, in order, and the current load."""

    result: bool = True
    scans: list[LoadScanned]
    load: LoadCheck
