"""Self-registration: somebody applies to drive for a business, and the business approves or rejects it."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
