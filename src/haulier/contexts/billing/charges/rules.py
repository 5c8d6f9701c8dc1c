"""Rules of charges: when services are charged."""

from enum import StrEnum


class ChargeTime(StrEnum):
    """Time at which a service is charged."""

    ON_CREATION = "on_creation"
    """When the order is created. Changes and cancellations correct the charge."""
    ON_DELIVERY = "on_delivery"
    """When the order is delivered."""
    ON_INVOICE_RUN = "on_invoice_run"
    """When an invoice run of the customer includes it."""
    MANUAL = "manual"
    """When staff charge it."""
