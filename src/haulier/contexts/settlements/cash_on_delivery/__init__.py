"""Cash on delivery: amounts due, collected, carried by drivers and handed in."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
