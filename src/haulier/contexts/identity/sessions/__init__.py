"""Sessions: sign-in, sign-out, lists of sessions, and ending sessions as an admin."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
