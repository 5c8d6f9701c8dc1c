"""Suites: address codes that identify the customer of a parcel."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
