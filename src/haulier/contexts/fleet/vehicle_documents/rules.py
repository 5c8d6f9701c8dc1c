"""Rules of vehicle documents. Days are in the business's time zone."""

from datetime import date
from enum import StrEnum


class VehicleDocumentKind(StrEnum):
    """The kind of a document."""

    VEHICLE_REGISTRATION = "vehicle_registration"
    INSURANCE = "insurance"
    VEHICLE_INSPECTION = "vehicle_inspection"
    EMISSIONS_TEST = "emissions_test"
    ROAD_TAX = "road_tax"
    LEASE = "lease"
    OTHER = "other"


class VehicleDocumentState(StrEnum):
    """Status of one document today."""

    VALID = "valid"
    EXPIRED = "expired"


def vehicle_document_state(expires_on: date | None, today: date) -> VehicleDocumentState:
    """Return the status of a document, which is valid through its last day."""
    ended = expires_on is not None and expires_on < today
    return VehicleDocumentState.EXPIRED if ended else VehicleDocumentState.VALID
