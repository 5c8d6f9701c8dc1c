"""Members: permissions, language and time zone of users, and customer data."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
