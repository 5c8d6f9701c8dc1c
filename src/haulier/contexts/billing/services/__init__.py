"""Services that a client sells to its customers: what customers fill in, what that costs, and quotes that hold."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
