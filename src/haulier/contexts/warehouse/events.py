"""Events that the warehouse publishes. None holds a price."""

from msgspec import Struct

from haulier.kernel.background.events import DomainEvent


class TransferDispatched(DomainEvent, frozen=True, kw_only=True):
    """A batch of packages left for another warehouse."""

    transfer_id: int
    from_warehouse_id: int
    to_warehouse_id: int
    packages: int


class TransferReceived(DomainEvent, frozen=True, kw_only=True):
    """Every package of a batch was scanned in, or is known to be missing."""

    transfer_id: int
    missing: int
    extra: int
    damaged: int


class TransferCompleted(DomainEvent, frozen=True, kw_only=True):
    """A batch was closed."""

    transfer_id: int


class TransferRolledBack(DomainEvent, frozen=True, kw_only=True):
    """A batch was undone: its packages are where they were before."""

    transfer_id: int
    packages: int


class PackageMisrouted(DomainEvent, frozen=True, kw_only=True):
    """A package was scanned in a warehouse, and is expected in another."""

    number: str
    warehouse_id: int
    belongs_to_warehouse_id: int


class StockCame(Struct, frozen=True, kw_only=True):
    """Received items of a product."""

    sku: str
    quantity: int
    condition: str


class StockReceived(DomainEvent, frozen=True, kw_only=True):
    """Goods came to a warehouse, from a supplier or back from a customer."""

    warehouse_id: int
    reference: str | None
    lines: list[StockCame]


class StockFreed(DomainEvent, frozen=True, kw_only=True):
    """Units came into stock, or are no longer reserved."""

    warehouse_id: int


class StockAdjusted(DomainEvent, frozen=True, kw_only=True):
    """The recorded stock of a product was corrected."""

    product_id: int
    sku: str
    warehouse_id: int
    change: int
    """Items more, or less where negative."""
    reason: str


class StockRanLow(DomainEvent, frozen=True, kw_only=True):
    """Fewer items of a product can be reserved than its `reorder_below`."""

    product_id: int
    sku: str
    available: int
    reorder_below: int


class StockShortageOpened(DomainEvent, frozen=True, kw_only=True):
    """A reservation lost items because a count or an adjustment found less stock."""

    shortage_id: int
    warehouse_id: int
    reference: str
    order_id: int | None
    """The order with this reference, if there is one."""
    sku: str
    quantity: int
    """Number of released units."""
    source: str
    """The count or adjustment that found the loss, such as `COUNT-12`."""


class StockCountApproved(DomainEvent, frozen=True, kw_only=True):
    """The differences of a count were posted."""

    count_id: int
    warehouse_id: int
    differences: int
    """Lines that differed from the books."""


class StockShipped(DomainEvent, frozen=True, kw_only=True):
    """Reserved stock left a warehouse."""

    warehouse_id: int
    reference: str
    pieces: int
    packages: int
    """Number of packages that left with the order."""


class PlanSearchImproved(DomainEvent, frozen=True, kw_only=True):
    """A search for a packing or load plan has a better plan."""

    plan_search_id: int
    kind: str
    improvements: int
    """Number of improvements so far."""


class PlanSearchEnded(DomainEvent, frozen=True, kw_only=True):
    """A search for a packing or load plan is over: done, failed or cancelled."""

    plan_search_id: int
    kind: str
    state: str
