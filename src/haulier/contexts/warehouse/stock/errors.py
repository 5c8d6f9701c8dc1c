"""Errors that several files of stock raise."""

from haulier.kernel.operations.errors import declare_error

INSUFFICIENT_STOCK = declare_error("insufficient_stock", 409)
UNKNOWN_SKU = declare_error("unknown_sku", 422)
LOCATION_NOT_USABLE = declare_error("location_not_usable", 409)
LOT_EXPIRY_DIFFERS = declare_error("lot_expiry_differs", 409)
LOCATION_FULL = declare_error("location_full", 409)
SERIAL_IN_STOCK = declare_error("serial_in_stock", 409)
PIECES_NOT_TOLD_APART = declare_error("pieces_not_told_apart", 422)
STOCK_RESERVED_ALREADY = declare_error("stock_reserved_already", 409)
LOCATION_ELSEWHERE = declare_error("location_elsewhere", 409)
