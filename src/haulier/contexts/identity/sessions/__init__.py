"""Sessions: sign in and out, see where one is signed in, and end sessions of users as an admin."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
