"""Held work: what a contractor or driver has, so that nothing is left behind unseen when they go."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
