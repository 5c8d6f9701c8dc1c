"""Charges given back: one sum per charge, whether it is refunded, cancelled, voided or credited."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
