"""Papers of drivers: licences, insurances and what else a driver must show, who looked at them and until when they hold."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
