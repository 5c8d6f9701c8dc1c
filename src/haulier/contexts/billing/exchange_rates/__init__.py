"""Exchange rates by day, imported or set by the business, and conversions."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
