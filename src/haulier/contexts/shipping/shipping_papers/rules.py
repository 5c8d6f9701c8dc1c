"""What a commercial invoice says of goods."""

from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState
from haulier.kernel.values.money import Money
from haulier.rendering.papers import InvoiceLine

DECLARED_STATES = frozenset((ShipmentState.PURCHASED, ShipmentState.IN_TRANSIT, ShipmentState.DELIVERED))
"""In which an invoice says what is in a parcel that exists."""


def invoice_lines(terms: ShipmentTerms, currency: str) -> list[InvoiceLine]:
    """The goods, a line each; the weight is that of all pieces of a line."""
    return [
        InvoiceLine(
            description=item.description,
            quantity=item.quantity,
            unit_value=str(Money(item.unit_value, currency).major),
            value=str((Money(item.unit_value, currency) * item.quantity).major),
            hs_code=item.hs_code,
            origin=item.origin_country,
            weight_g=item.unit_weight_g * item.quantity or None,
        )
        for item in terms.customs_items
    ]


def add_up(terms: ShipmentTerms, currency: str) -> Money:
    """What all goods are worth."""
    return Money(sum(item.unit_value * item.quantity for item in terms.customs_items), currency)
