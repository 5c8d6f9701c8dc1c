"""Errors that several files of transfers raise."""

from haulier.kernel.operations.errors import declare_error

PACKAGE_HELD = declare_error("package_held", 409)
PACKAGE_MOVED_ON = declare_error("package_moved_on", 409)
PACKAGE_NOT_IN_TRANSFER = declare_error("package_not_in_transfer", 409)
TRANSFER_EMPTY = declare_error("transfer_empty", 409)
TRANSFER_FULL = declare_error("transfer_full", 409)
WAREHOUSE_CLOSED = declare_error("warehouse_closed", 409)
