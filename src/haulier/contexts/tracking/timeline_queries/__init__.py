"""Timelines in the protocol's form and others: single, batched, or as event lists."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
