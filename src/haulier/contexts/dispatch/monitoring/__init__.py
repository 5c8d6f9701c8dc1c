"""Monitoring of a day: observed positions, route progress and exceptions.

It makes no forecasts.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
