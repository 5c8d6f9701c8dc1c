"""Chat about one order between customer, recipient, driver and dispatchers."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDER_CHAT
