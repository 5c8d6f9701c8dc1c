"""Passwords: change one's own, set one as an admin, and reset a lost one with a link by e-mail that works for 30 minutes."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
