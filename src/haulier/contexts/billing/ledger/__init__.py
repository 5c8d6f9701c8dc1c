"""Ledger of accounts, transfers between them, and holds on customers' credit."""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
