"""Registration: how people become customers of a client by themselves, with a phone that they hold."""

from haulier.kernel.operations.enums import Area

AREA = Area.PLATFORM_APPS
