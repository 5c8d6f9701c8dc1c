"""Errors that several files of products raise."""

from haulier.kernel.operations.errors import declare_error

SKU_TAKEN = declare_error("sku_taken", 409)
PRODUCT_BARCODE_TAKEN = declare_error("product_barcode_taken", 409)
