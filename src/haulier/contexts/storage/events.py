"""Events of storage. None holds a price or an address."""

from haulier.kernel.background.events import DomainEvent


class StorageOrderChanged(DomainEvent, frozen=True, kw_only=True):
    """An order for storage was made, or its status changed: pending, confirmed, stored, closed or cancelled."""

    storage_order_id: int
    customer_id: int
    status: str


class PackagesReceived(DomainEvent, frozen=True, kw_only=True):
    """Packages of a customer came into stock."""

    storage_order_id: int
    customer_id: int
    packages: int


class PackageReturned(DomainEvent, frozen=True, kw_only=True):
    """A customer has a package back."""

    package_id: int
    storage_order_id: int
    customer_id: int


class StorageCharged(DomainEvent, frozen=True, kw_only=True):
    """A period of storage was added to what a customer owes for an order. How much, the order tells."""

    storage_order_id: int
    customer_id: int


class ShipoutChanged(DomainEvent, frozen=True, kw_only=True):
    """A ship-out was made, or its status changed: pending, confirmed, shipped, delivered or cancelled."""

    shipout_id: int
    customer_id: int
    status: str
