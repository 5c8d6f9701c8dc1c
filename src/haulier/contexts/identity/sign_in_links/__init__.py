"""Sign-in links: one-time links from staff, valid for minutes."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
