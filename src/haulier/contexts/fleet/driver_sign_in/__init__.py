"""Drivers sign in with a link or a QR code that the office shows them."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
