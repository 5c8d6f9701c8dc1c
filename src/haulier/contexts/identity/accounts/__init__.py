"""Users, client businesses, account kinds, sign-in and tokens."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
