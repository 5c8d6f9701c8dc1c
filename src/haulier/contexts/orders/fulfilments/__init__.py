"""Fulfilments: the ways in which an order is carried out."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
