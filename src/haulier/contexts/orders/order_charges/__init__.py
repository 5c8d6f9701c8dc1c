"""Charges of delivered orders."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
