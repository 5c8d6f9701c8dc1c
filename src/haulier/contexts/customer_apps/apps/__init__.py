"""Apps: the platform's own apps, and how each client offers them to its people."""

from haulier.kernel.operations.enums import Area

AREA = Area.PLATFORM_APPS
