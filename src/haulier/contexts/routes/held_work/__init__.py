"""Held work: open orders and routes of a contractor or driver who is disabled."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
