"""Self-registration: somebody applies to drive for a business, and the business says yes or no."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
