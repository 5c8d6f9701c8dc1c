"""Loading checks: parcels scanned into the vehicle of a route."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
