"""Links that sign somebody in once, within minutes: for people without a keyboard at hand, from an office that knows them."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
