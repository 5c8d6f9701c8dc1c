"""Invitations: users created by an admin set their password by an emailed link."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
