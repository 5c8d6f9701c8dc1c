"""The account with the provider who takes customers' online payments."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
