"""Registration: customers who register themselves with a verified phone."""

from haulier.kernel.operations.enums import Area

AREA = Area.PLATFORM_APPS
