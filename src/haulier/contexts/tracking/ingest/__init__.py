"""Inbound events from carriers and partners, native or EPCIS."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
