"""What goes in when a route under way cannot go on as it was planned: it is handed over, or given up."""

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.routes.routes.contract.routes import ReasonCode, StopIds, VersionedRouteRef
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import DriverId


class HandOverStops(VersionedRouteRef):
    """Stops of a route under way, and who takes them over."""

    stop_ids: StopIds | None = None
    """The stops, with the other stop of a pickup and delivery. All that are open or aboard when left out."""
    driver_id: DriverId | None = None
    """The driver who takes them over on a new route, which is under way at once. This, or `to_route_id`."""
    to_route_id: RecordId | None = None
    """The route under way, of the same day, that takes them over. This, or `driver_id`."""
    reason: Reason | None = Field(default=None, examples=["The van broke down"])
    """Why; stored with the order's steps."""

    @model_validator(mode="after")
    def _goes_to_one(self) -> "HandOverStops":
        if (self.driver_id is None) == (self.to_route_id is None):
            raise PydanticCustomError("one_taker", "exactly one of driver_id and to_route_id is needed")
        return self


class AbortRoute(VersionedRouteRef):
    """A route under way that is given up, and why."""

    reason: ReasonCode = Field(examples=["vehicle_breakdown"])
    """A reason code, which the orders' timelines show: vehicle_breakdown, weather, traffic, security, other …"""
    note: Reason | None = Field(default=None, examples=["Gearbox; waits for the tow truck"])
    """The same in words, for the office."""
