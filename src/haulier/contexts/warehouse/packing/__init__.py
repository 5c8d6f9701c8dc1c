"""Packing plans: which cartons take some pieces, what goes where in them, and the proof that no better choice exists."""

from haulier.kernel.operations.enums import Area

AREA = Area.PACKING_PLANS
