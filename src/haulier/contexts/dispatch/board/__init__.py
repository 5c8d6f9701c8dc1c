"""The dispatch board: all routes of a day, and the effects of a change before it is made."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
