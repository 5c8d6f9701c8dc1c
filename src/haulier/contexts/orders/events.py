"""Events that orders publish."""

from haulier.kernel.background.events import DomainEvent


class OrderCreated(DomainEvent, frozen=True, kw_only=True):
    """An order was created. `located` is false where the stop has no coordinates."""

    order_id: int
    tracking_number: str
    located: bool = True


class OrderChanged(DomainEvent, frozen=True, kw_only=True):
    """Something that dispatch shows has changed: a window, a note, an instruction. `moved`: it goes to another address."""

    order_id: int
    moved: bool = False


class OrderStatusChanged(DomainEvent, frozen=True, kw_only=True):
    """The status of an order changed."""

    order_id: int
    step: str
    status: str


class DeliveryPinRenewed(DomainEvent, frozen=True, kw_only=True):
    """Another PIN was made for an order. It says that, and not which."""

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
