"""Inbound events: what carriers and partners push, native or EPCIS, written into the timelines of its shipments."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
