"""Delivery orders: the local delivery order and its states."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
