"""Events of storage. None holds a price or an address."""

from haulier.kernel.background.events import DomainEvent


class StorageOrderChanged(DomainEvent, frozen=True, kw_only=True):
    """A storage order was created, or its status changed.

    Statuses: pending, confirmed, stored, closed or cancelled.
    """

    storage_order_id: int
    customer_id: int
    status: str


class PackagesReceived(DomainEvent, frozen=True, kw_only=True):
    """Packages of a customer came into stock."""

    storage_order_id: int
    customer_id: int
    packages: int


class PackageReturned(DomainEvent, frozen=True, kw_only=True):
    """A package was returned to its customer."""

    package_id: int
    storage_order_id: int
    customer_id: int


class StorageCharged(DomainEvent, frozen=True, kw_only=True):
    """A period of storage was charged to an order. The order has the amount."""

    storage_order_id: int
    customer_id: int


class ShipoutChanged(DomainEvent, frozen=True, kw_only=True):
    """A ship-out was created, or its status changed.

    Statuses: pending, confirmed, shipped, delivered or cancelled.
    """

    shipout_id: int
    customer_id: int
    status: str
