"""The offline queue: what a device recorded without a connection, sent later and applied once."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
