"""The work on shipping orders that is done after a call: carriers are asked, deliveries followed."""

from msgspec import Struct

BUY_ORDER_LABEL_JOB = "shipping.buy_order_label"
FOLLOW_DELIVERY_JOB = "shipping.follow_delivery"


class BuyOrderLabel(Struct, frozen=True):
    """Of which order a label is bought."""

    shipping_order_id: int


class FollowDelivery(Struct, frozen=True):
    """Which local delivery moved."""

    order_id: int
    delivered: bool
