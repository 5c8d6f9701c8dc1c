"""Events that orders publish."""

from haulier.kernel.background.events import DomainEvent


class OrderCreated(DomainEvent, frozen=True, kw_only=True):
    """An order was created. `located` is false if the stop has no coordinates."""

    order_id: int
    tracking_number: str
    located: bool = True
    has_products: bool = False
    """True if an item has a known SKU."""
    is_payable: bool = False
    """True if a customer owes for it."""


class OrderChanged(DomainEvent, frozen=True, kw_only=True):
    """A change of an order that dispatch shows, such as its window or instruction.

    `moved` is true for a new address, `items_changed` for other items.
    """

    order_id: int
    moved: bool = False
    items_changed: bool = False


class OrderStatusChanged(DomainEvent, frozen=True, kw_only=True):
    """The status of an order changed."""

    order_id: int
    step: str
    status: str


class DeliveryRated(DomainEvent, frozen=True, kw_only=True):
    """A recipient rated a delivery, or changed the rating.

    The comment is in the order.
    """

    order_id: int
    tracking_number: str
    rating: int


class DeliveryPinRenewed(DomainEvent, frozen=True, kw_only=True):
    """A delivery PIN was renewed. The event does not contain the PIN."""

    order_id: int


class PartnerOrderMoved(DomainEvent, frozen=True, kw_only=True):
    """An order that this business delivers for another took a step."""

    order_id: int
    partner_offer_id: int


class OrderHeld(DomainEvent, frozen=True, kw_only=True):
    """An order was put on hold and must not be dispatched until it is released."""

    order_id: int


class OrderReleased(DomainEvent, frozen=True, kw_only=True):
    """A held order may be dispatched again."""

    order_id: int


class OrderCancelled(DomainEvent, frozen=True, kw_only=True):
    """An order was cancelled, whatever its status was."""

    order_id: int


class BackorderCreated(DomainEvent, frozen=True, kw_only=True):
    """Items of an order wait for stock, in an order of their own."""

    backorder_id: int
    order_id: int
    """The original order."""
    backorder_order_id: int
    """The order with the waiting items."""


class BackorderChanged(DomainEvent, frozen=True, kw_only=True):
    """A backorder was updated, released, merged or cancelled."""

    backorder_id: int
    order_id: int
    state: str


class OrderReturnCreated(DomainEvent, frozen=True, kw_only=True):
    """Staff, the customer or the recipient created a return of a delivered order."""

    order_return_id: int
    order_id: int
    """The returned order."""
    method: str


class OrderReturnChanged(DomainEvent, frozen=True, kw_only=True):
    """A return was inspected or cancelled, or its refunds were proposed or decided."""

    order_return_id: int
    order_id: int
    state: str
