"""Events that shipping publishes. None holds a price or an address."""

from haulier.kernel.background.events import DomainEvent


class LabelBought(DomainEvent, frozen=True, kw_only=True):
    """A carrier's label was bought, and is stored."""

    shipment_id: int
    carrier: str
    tracking_number: str
    order_ref: str | None = None


class LabelPurchaseFailed(DomainEvent, frozen=True, kw_only=True):
    """A carrier did not sell a label; the shipment stays and can be bought later."""

    shipment_id: int
    carrier: str
    order_ref: str | None = None


class LabelVoided(DomainEvent, frozen=True, kw_only=True):
    """A carrier took a label back."""

    shipment_id: int
    carrier: str
    tracking_number: str
    order_ref: str | None = None


class ManifestClosed(DomainEvent, frozen=True, kw_only=True):
    """A carrier got a day's labels."""

    manifest_id: int
    carrier: str
    shipments: int


class ShipmentMoved(DomainEvent, frozen=True, kw_only=True):
    """A carrier says that a shipment is on its way, or delivered. `state` is in_transit or delivered."""

    shipment_id: int
    carrier: str
    tracking_number: str
    state: str
    order_ref: str | None = None


class ShippingOrderPlaced(DomainEvent, frozen=True, kw_only=True):
    """A customer ordered a service."""

    shipping_order_id: int
    service_code: str
    kind: str


class ShippingOrderChanged(DomainEvent, frozen=True, kw_only=True):
    """A shipping order was confirmed, paid, begun, completed or cancelled. `change` says which."""

    shipping_order_id: int
    change: str


class UniorderJobFinished(DomainEvent, frozen=True, kw_only=True):
    """A job of many orders is done. `purpose` is rate or create; `failed` counts what was refused."""

    job_id: int
    purpose: str
    total: int
    failed: int
