"""The ledger: accounts, transfers between two of them, and holds of what a customer may still spend."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
