"""Errors of plan searches."""

from haulier.kernel.operations.errors import declare_error

PLAN_SEARCH_IS_OVER = declare_error("plan_search_is_over", 409)
NO_SIZED_ORDERS = declare_error("no_sized_orders", 409)
PLAN_SEARCH_NOT_READY = declare_error("plan_search_not_ready", 409)
