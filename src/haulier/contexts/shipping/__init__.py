"""Shipping: carriers, rates, labels and manifests."""

from haulier.kernel.operations.enums import Module

MODULE = Module.SHIPPING
