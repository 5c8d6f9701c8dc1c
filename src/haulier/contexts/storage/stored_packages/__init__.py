"""The packages of customers that are in stock."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
