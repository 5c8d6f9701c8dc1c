"""Routes: a driver's stops on a day from a depot.

Times are planned or observed, not predicted.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DISPATCH
