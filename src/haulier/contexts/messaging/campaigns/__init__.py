"""SMS marketing: campaigns to consenting contacts, with a status per recipient."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMS_MARKETING
