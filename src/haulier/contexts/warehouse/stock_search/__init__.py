"""Stock search: products, locations, packages and stock by code or words."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
