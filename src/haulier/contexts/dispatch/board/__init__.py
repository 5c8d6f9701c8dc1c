"""Dispatch board: all routes of a day, and the effects of a change in advance."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
