"""Queued pushes: what providers pushed and a stream took, written later; and what of it was refused then."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
