"""Saved views: filters and columns of a list that people of the office keep under a name."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
