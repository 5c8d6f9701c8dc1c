"""Where an order is, in words that fit every carrier."""

from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState
from haulier.kernel.operations.errors import declare_error

UNIORDER_HAS_NO_LABEL = declare_error("uniorder_has_no_label", 409)
UNIORDER_JOB_IS_OVER = declare_error("uniorder_job_is_over", 409)
LOCAL_CARRIER = "LOCAL"


class UniorderStatus(StrEnum):
    """The status of an order."""

    CREATED = "CREATED"
    LABEL_PURCHASE_PENDING = "LABEL_PURCHASE_PENDING"
    LABEL_PURCHASE_FAILED = "LABEL_PURCHASE_FAILED"
    IN_TRANSIT = "IN_TRANSIT"
    DELIVERED = "DELIVERED"
    RETURNED = "RETURNED"
    CANCELLED = "CANCELLED"


_U, _S, _O = UniorderStatus, ShipmentState, OrderStatus
STATUS_OF_SHIPMENT = {
    _S.DRAFT: _U.LABEL_PURCHASE_FAILED,
    _S.FAILED: _U.LABEL_PURCHASE_FAILED,
    _S.PURCHASE_UNKNOWN: _U.LABEL_PURCHASE_PENDING,
    _S.PURCHASED: _U.CREATED,
    # Why: a carrier that has not decided may keep the label, which then is as it was.
    _S.VOID_PENDING: _U.CREATED,
    _S.IN_TRANSIT: _U.IN_TRANSIT,
    _S.DELIVERED: _U.DELIVERED,
    _S.VOIDED: _U.CANCELLED,
}
STATUS_OF_ORDER = {
    _O.NEW_ORDER: _U.CREATED,
    _O.HOLD: _U.CREATED,
    _O.PLANNED: _U.CREATED,
    _O.PICKED_UP: _U.IN_TRANSIT,
    _O.OUT_FOR_DELIVERY: _U.IN_TRANSIT,
    _O.FAILED: _U.IN_TRANSIT,
    _O.DELIVERED: _U.DELIVERED,
    _O.RETURNED: _U.RETURNED,
    _O.REJECTED: _U.RETURNED,
    _O.CANCELLED: _U.CANCELLED,
}
