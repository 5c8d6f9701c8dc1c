"""Packing plans: cartons for a set of items, placement, and proof of optimality."""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.PACKING_PLANS
MODULE = Module.PACKING
