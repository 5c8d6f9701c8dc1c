"""Errors that several files of imports raise."""

from haulier.kernel.operations.errors import declare_error

STOCK_IMPORT_IS_OVER = declare_error("stock_import_is_over", 409)
