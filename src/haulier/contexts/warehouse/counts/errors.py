"""Errors of counts."""

from haulier.kernel.operations.errors import declare_error

STOCK_COUNT_STATE = declare_error("stock_count_state", 409)
STOCK_COUNT_UNDERWAY = declare_error("stock_count_underway", 409)
STOCK_COUNT_INCOMPLETE = declare_error("stock_count_incomplete", 409)
STOCK_COUNT_TOO_LARGE = declare_error("stock_count_too_large", 409)
NOTHING_TO_COUNT = declare_error("nothing_to_count", 409)
NOT_IN_STOCK_COUNT = declare_error("not_in_stock_count", 409)
