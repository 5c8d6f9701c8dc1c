"""Delivery PINs: shown to the recipient, checked by the driver, renewed by staff."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
