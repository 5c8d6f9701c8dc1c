"""Warehouses, products, and stock as a ledger of movements.

Terms: location (a place in a warehouse that has a barcode), level (quantity of a product on a location), movement (a
quantity that entered, left or changed location), reservation (stock promised to an order).
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.WAREHOUSE
