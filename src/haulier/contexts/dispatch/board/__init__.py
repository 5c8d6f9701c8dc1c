"""The dispatch board: a whole day in one look, and what a change would mean before anybody makes it."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
