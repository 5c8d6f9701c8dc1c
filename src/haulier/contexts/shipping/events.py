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
    """A label was voided by its carrier."""

    shipment_id: int
    carrier: str
    tracking_number: str
    order_ref: str | None = None


class ManifestClosed(DomainEvent, frozen=True, kw_only=True):
    """A carrier received the labels of a day."""

    manifest_id: int
    carrier: str
    shipments: int


class ShipmentMoved(DomainEvent, frozen=True, kw_only=True):
    """A shipment is in transit or delivered, by its carrier's scans."""

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
    """A shipping order was confirmed, paid, started, completed or cancelled.

    `change` says which.
    """

    shipping_order_id: int
    change: str


class UniorderJobFinished(DomainEvent, frozen=True, kw_only=True):
    """A batch job is done.

    `purpose` is rate or create; `failed` counts the rejected rows.
    """

    job_id: int
    purpose: str
    total: int
    failed: int
