"""Monitoring of a day: positions of drivers, progress of routes, and exceptions, as observed. It predicts nothing."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
