"""Public interface of shipping: the own tariff, carriers' scans, and paid orders."""

from haulier.contexts.billing.public import Payable
from haulier.contexts.shipping.accounts.contract import START_TARIFF, CarrierTariff
from haulier.contexts.shipping.accounts.rules import CURRENCY, HOUSE, TARIFF, make_own_message, rate_shipment
from haulier.contexts.shipping.labels.actions.handover import record_scans, request_scans_of
from haulier.contexts.shipping.labels.actions.submissions import (
    LabelRequest,
    Submit,
    account_or_default,
    buy_label_for,
    purchase_fault,
    withdraw_label,
)
from haulier.contexts.shipping.labels.queries import get_visible_shipment, list_own_numbers, list_parcel_numbers
from haulier.contexts.shipping.order_shipments.queries import ShipmentsOfOrders
from haulier.contexts.shipping.ports import CarrierRefused, CarrierUnavailable
from haulier.contexts.shipping.shipping_orders.actions import get_due_of_shipping_order, pay_shipping_order_from_credit

__all__ = [
    "CURRENCY",
    "HOUSE",
    "PAYABLES",
    "START_TARIFF",
    "TARIFF",
    "CarrierRefused",
    "CarrierTariff",
    "CarrierUnavailable",
    "LabelRequest",
    "ShipmentsOfOrders",
    "Submit",
    "account_or_default",
    "buy_label_for",
    "get_visible_shipment",
    "list_own_numbers",
    "list_parcel_numbers",
    "make_own_message",
    "purchase_fault",
    "rate_shipment",
    "record_scans",
    "request_scans_of",
    "withdraw_label",
]

PAYABLES = {"shipping_order": Payable(get_due_of_shipping_order, pay_shipping_order_from_credit)}
"""Payable records, by the purpose of a payment."""
