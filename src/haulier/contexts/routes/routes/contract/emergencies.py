"""What goes in when a route under way cannot go on as it was planned: it is handed over, or given up."""

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.routes.routes.contract.routes import ReasonCode, StopIds, VersionedRouteRef
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import DriverId


class HandOverStops(VersionedRouteRef):
    """Stops of a route under way, and the receiving driver or route."""

    stop_ids: StopIds | None = None
    """Stops to hand over. Pickup and delivery of an order move together. Default: all stops that are open or have
    goods on board."""
    driver_id: DriverId | None = None
    """Driver of a new route that starts at once. Use this or `to_route_id`."""
    to_route_id: RecordId | None = None
    """Receiving route, under way on the same day. Use this or `driver_id`."""
    reason: Reason | None = Field(default=None, examples=["The van broke down"])
    """Reason, stored in the order history."""

    @model_validator(mode="after")
    def _goes_to_one(self) -> "HandOverStops":
        if (self.driver_id is None) == (self.to_route_id is None):
            raise PydanticCustomError("one_taker", "exactly one of driver_id and to_route_id is needed")
        return self


class AbortRoute(VersionedRouteRef):
    """A route under way to abort, and the reason."""

    reason: ReasonCode = Field(examples=["vehicle_breakdown"])
    """Reason code shown in tracking, for example vehicle_breakdown, weather, traffic, security or other."""
    note: Reason | None = Field(default=None, examples=["Gearbox; waits for the tow truck"])
    """Explanation for staff."""
