"""Policy: what a client asks of its drivers' app."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
