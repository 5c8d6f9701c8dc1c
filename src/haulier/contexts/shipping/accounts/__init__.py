"""Carrier accounts: with whom a client ships, on which terms, and what its own carrier charges."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
