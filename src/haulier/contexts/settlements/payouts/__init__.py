"""Payouts: numbered pay statements of contractors and drivers, with disputes."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
