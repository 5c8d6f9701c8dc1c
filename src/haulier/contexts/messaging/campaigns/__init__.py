"""SMS Marketing: texts to people who agreed to them, by campaigns with a fate for each recipient."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMS_MARKETING
