"""Loading: parcels of a route are scanned into its vehicle, and what is missing is said before it leaves."""

from haulier.kernel.operations.enums import Area

AREA = Area.WAREHOUSE
