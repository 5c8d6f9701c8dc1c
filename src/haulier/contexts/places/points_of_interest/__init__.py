"""Points of interest.

Places with hours and notes, such as docks and pickup points.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.POI
