"""Order shipments: orders that parcel carriers deliver."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
