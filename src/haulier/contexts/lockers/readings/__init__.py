"""Device measurements: telemetry every ten minutes, for a month."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVICE_OPERATIONS
