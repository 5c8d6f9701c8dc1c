"""Invitations: a user is made by an admin and lets themselves in, by a link that only their mailbox gets."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
