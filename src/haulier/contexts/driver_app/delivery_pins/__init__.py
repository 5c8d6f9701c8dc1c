"""Delivery PINs: the recipient reads it, the driver asks for it, and the office can only make another one."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
