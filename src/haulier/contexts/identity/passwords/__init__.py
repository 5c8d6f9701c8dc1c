"""Passwords: changes by users and admins, and resets by an emailed link."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
