"""Suites: the codes that customers write into their address, so that a parcel tells whose it is."""

from haulier.kernel.operations.enums import Area

AREA = Area.CONSOLIDATION
