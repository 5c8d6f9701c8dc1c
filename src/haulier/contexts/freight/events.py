"""Events of freight. None holds a price or an address."""

from haulier.kernel.background.events import DomainEvent


class FreightShipmentChanged(DomainEvent, frozen=True, kw_only=True):
    """A freight shipment was created, or its status or an appointment changed."""

    freight_shipment_id: int
    customer_id: int | None
    status: str
