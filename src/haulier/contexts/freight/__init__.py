"""Freight: less-than-truckload shipments with their tariff and claims.

Terms: handling unit (a pallet, crate or other unit that is moved as one piece), freight class (NMFC class that
prices the goods), accessorial (additional service at pickup or delivery), PRO number (carrier's number of a shipment).
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.SHIPPING
