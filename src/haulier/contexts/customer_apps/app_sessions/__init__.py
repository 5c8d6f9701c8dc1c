"""App sessions: sign-ins to an app on a device. A session has one token at a time."""

from haulier.kernel.operations.enums import Area

AREA = Area.PLATFORM_APPS
