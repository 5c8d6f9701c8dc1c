"""App sessions: who is signed in to an app, on which device. A session lives on one token at a time."""

from haulier.kernel.operations.enums import Area

AREA = Area.PLATFORM_APPS
