"""Proof: stops completed or failed, with pictures, signatures and codes."""

from haulier.kernel.operations.enums import Area

AREA = Area.INSTANT_RIDER
