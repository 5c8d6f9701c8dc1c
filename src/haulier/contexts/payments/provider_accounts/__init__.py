"""The account at a provider of online payments."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
