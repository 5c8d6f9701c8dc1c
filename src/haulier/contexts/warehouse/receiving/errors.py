"""Errors of receiving."""

from haulier.kernel.operations.errors import declare_error

STOCK_ADVICE_TAKEN = declare_error("stock_advice_taken", 409)
STOCK_ADVICE_CLOSED = declare_error("stock_advice_closed", 409)
STOCK_ADVICE_EXCEEDED = declare_error("stock_advice_exceeded", 409)
NO_ROOM_TO_PUT_AWAY = declare_error("no_room_to_put_away", 409)
