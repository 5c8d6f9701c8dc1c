"""Routes: a driver's stops on a day from a depot, planned and then observed. Times are what was seen, never a forecast."""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
