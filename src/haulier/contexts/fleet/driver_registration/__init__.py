"""Self-registration: a driver applies, and the business approves or rejects."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
