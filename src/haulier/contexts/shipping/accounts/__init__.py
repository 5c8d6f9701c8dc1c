"""Carrier accounts: credentials, terms, and the own carrier's tariff."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
