"""Reports of stock: what moves most, and how long what is there has been there."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
