"""Timelines in the protocol's own form and in others: one, many, or as a list of events that is continued live."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
