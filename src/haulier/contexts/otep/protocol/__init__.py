"""The protocol explains itself: its validator, its codebook, its schema and its guide."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
