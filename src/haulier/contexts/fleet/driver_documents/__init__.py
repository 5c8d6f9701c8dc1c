"""Documents of drivers: licences, insurances and others, with their reviews and expiry dates."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
