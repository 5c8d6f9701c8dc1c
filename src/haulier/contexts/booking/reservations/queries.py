"""What the tables of reservations hold of people."""

from haulier.contexts.booking.reservations.store import booking_patterns, booking_zones, reservations
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns

plain_columns(booking_zones, "name", "postal_prefixes")
plain_columns(booking_patterns, "weekdays", "starts", "ends")
personal_data(
    reservations,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER, "customer_id": PersonKey.USER},
    erased={"reason": None},
    plain=("postal_code", "outcome"),
)
