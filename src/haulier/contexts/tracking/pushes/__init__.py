"""Queued pushes: events that a stream accepted, and their later rejections."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
