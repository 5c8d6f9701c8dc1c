"""Return reasons: the client's list of why parcels come back."""

from haulier.kernel.operations.enums import Area

AREA = Area.RETURN_REASONS
