"""Saved views: named filters and columns of lists, for staff."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
