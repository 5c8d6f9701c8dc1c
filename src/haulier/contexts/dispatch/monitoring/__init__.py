"""Where everybody is and how the day goes: what was seen, when it was seen, and what is out of the ordinary. No forecast."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
