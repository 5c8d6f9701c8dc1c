"""Storage of customers' goods: storage orders, stored packages, and ship-outs.

Terms: stored package (a customer's package at a warehouse location), tariff (price of storage over time), ship-out (an
order to send stored packages).
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.STORAGE
