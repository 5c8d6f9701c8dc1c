"""Id types for requests and answers, with the noun that each refers to."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args

from msgspec import Struct
from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from haulier.kernel.operations.fields import RecordId

REFERS_TO = "x-refers-to"
NO_NOUN = ""
"""Schema mark for an id whose record has no noun."""


class RefersTo(Struct, frozen=True):
    """Marks an id with the noun of its record; None if no noun lists such records."""

    noun: str | None

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema with the noun."""
        return {**handler(schema), REFERS_TO: self.noun or NO_NOUN}


def list_reference_marks(annotation: Any) -> Iterator[RefersTo]:
    """Yield the marks in a field type, including list items and optional types."""
    yield from (each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, RefersTo))
    for part in get_args(annotation):
        yield from list_reference_marks(part)


def reference_note(annotation: Any) -> dict[str, str]:
    """Return the reference note for a field's JSON Schema, or an empty one."""
    mark = next(list_reference_marks(annotation), None)
    return {REFERS_TO: mark.noun or NO_NOUN} if mark else {}


DriverId = Annotated[RecordId, RefersTo("drivers")]
"""Id of a driver as listed by `get_drivers`, not of the driver's user."""
UserId = Annotated[RecordId, RefersTo("users")]

PieceId = Annotated[RecordId, RefersTo(None)]
"""Id of a package of an order."""
PickPackageId = Annotated[RecordId, RefersTo("pick-packages")]
StoredPackageId = Annotated[RecordId, RefersTo("customer-packages")]

InboundParcelId = Annotated[RecordId, RefersTo("inbound-parcels")]
LockerParcelId = Annotated[RecordId, RefersTo("locker-parcels")]

LedgerTransferId = Annotated[RecordId, RefersTo("ledger-transfers")]
WarehouseTransferId = Annotated[RecordId, RefersTo("transfers")]

InboundClaimId = Annotated[RecordId, RefersTo("inbound-claims")]
RouteClaimId = Annotated[RecordId, RefersTo(None)]
"""A claim of a driver on a posted route."""

InstantJobId = Annotated[RecordId, RefersTo("instant-jobs")]
UniorderJobId = Annotated[RecordId, RefersTo("uniorder-jobs")]
UniorderId = Annotated[RecordId, RefersTo("uniorders")]

PaymentAllocationId = Annotated[RecordId, RefersTo(None)]
"""Id of an allocation of a payment to an invoice."""

TaxRateId = Annotated[RecordId, RefersTo("tax-rates")]
ExchangeRateId = Annotated[RecordId, RefersTo("exchange-rates")]
TaxExemptionId = Annotated[RecordId, RefersTo("tax-exemptions")]

PayRateId = Annotated[RecordId, RefersTo("pay-rates")]
PayoutId = Annotated[RecordId, RefersTo("payouts")]
FulfilmentId = Annotated[str, RefersTo(None)]
"""Id of a fulfilment of an order, such as `order-41` or `shipment-7`."""
ReturnRefundId = Annotated[RecordId, RefersTo(None)]
"""Id of a proposed refund of a return."""
QuotedRateId = Annotated[str, RefersTo(None)]
"""Id of a rate in a quote."""

RiderOfferId = Annotated[RecordId, RefersTo("my-offers")]
PartnerOfferId = Annotated[RecordId, RefersTo("partner-offers")]
"""An offer to a partner, for the business that made it."""
PartnerOrderId = Annotated[RecordId, RefersTo("partner-orders")]
"""An offer of a partner, for the business that received it."""

BookingWindowId = Annotated[RecordId, RefersTo("booking-windows")]
DeliveryWindowId = Annotated[RecordId, RefersTo(None)]

IssuedDocumentId = Annotated[RecordId, RefersTo("documents")]
DriverDocumentId = Annotated[RecordId, RefersTo("driver-documents")]
VehicleDocumentId = Annotated[RecordId, RefersTo("vehicle-documents")]
VehicleLogEntryId = Annotated[RecordId, RefersTo(None)]
"""An entry in the log of a vehicle."""

AppRegistrationId = Annotated[RecordId, RefersTo("app-registrations")]
DriverRegistrationId = Annotated[RecordId, RefersTo("driver-registrations")]

PersonalDataRequestId = Annotated[RecordId, RefersTo("personal-data-requests")]
CallId = Annotated[str, RefersTo(None)]
"""Id of an API call, as returned in its answer."""

LockerDeviceId = Annotated[RecordId, RefersTo("devices")]
PushDeviceId = Annotated[RecordId, RefersTo("push-devices")]
OwnDeviceId = Annotated[str, RefersTo(None)]
"""Id that a device assigned to itself, such as a scanner or phone."""

AddressId = Annotated[RecordId, RefersTo("addresses")]
CartonId = Annotated[RecordId, RefersTo("cartons")]
ChatMessageId = Annotated[RecordId, RefersTo("chat-messages")]
DatasetImportId = Annotated[RecordId, RefersTo("dataset-imports")]
DeviceCommandId = Annotated[RecordId, RefersTo("device-commands")]
DriverSignInLinkId = Annotated[RecordId, RefersTo("driver-sign-in-links")]
LoadSpaceId = Annotated[RecordId, RefersTo("load-spaces")]
LocationId = Annotated[RecordId, RefersTo("locations")]
"""A storage location of a warehouse."""
LockerBoxId = Annotated[RecordId, RefersTo("locker-boxes")]
LockerScreenId = Annotated[RecordId, RefersTo("locker-screens")]
SmsMessageId = Annotated[RecordId, RefersTo("sms-messages")]

AddressImportId = Annotated[RecordId, RefersTo(None)]
DatasetRecordId = Annotated[RecordId, RefersTo(None)]
FileId = Annotated[RecordId, RefersTo(None)]
GeocodingId = Annotated[RecordId, RefersTo(None)]
"""Id of a geocoding run of dataset records."""
LedgerOwnerId = Annotated[RecordId, RefersTo(None)]
"""Id of a customer or driver with a ledger account."""
LockerCabinetId = Annotated[RecordId, RefersTo(None)]
LockerCodeId = Annotated[RecordId, RefersTo(None)]
OrderImportId = Annotated[RecordId, RefersTo(None)]
PickTaskId = Annotated[RecordId, RefersTo(None)]
PreAlertId = Annotated[RecordId, RefersTo(None)]
PriceQuoteId = Annotated[RecordId, RefersTo(None)]
StopId = Annotated[RecordId, RefersTo(None)]
SubjectRecordId = Annotated[RecordId, RefersTo(None)]
"""Id of a record whose kind is in a neighbouring field."""
ForeignId = Annotated[str, RefersTo(None)]
"""Id chosen by another system, or a sealed text."""
