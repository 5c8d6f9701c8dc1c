"""Locker screens for visitors with a code, and courier codes."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
