"""Locker shop: products are sold from boxes, to customers, to guests by a link, and at the cabinet itself."""

from haulier.kernel.operations.enums import Area

AREA = Area.LOCKER_SHOP
