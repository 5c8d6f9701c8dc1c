"""Delivery by partner businesses, and the driver route board."""

from haulier.kernel.operations.enums import Module

MODULE = Module.CONTRACTORS
