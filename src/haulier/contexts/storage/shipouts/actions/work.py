"""The work on ship-outs that is done after a call: carriers are asked, deliveries followed."""

from msgspec import Struct

BUY_SHIPOUT_LABEL_JOB = "storage.buy_shipout_label"
FOLLOW_SHIPOUT_JOB = "follow_delivery_of_shipout"


class BuyShipoutLabel(Struct, frozen=True):
    """Of which ship-out a label is bought."""

    shipout_id: int


class FollowShipout(Struct, frozen=True):
    """The delivery, and whether it came to its end."""

    order_id: int
    delivered: bool
