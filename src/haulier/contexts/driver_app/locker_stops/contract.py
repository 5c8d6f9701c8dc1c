"""Request and response models for locker stops."""

from haulier.contexts.routes.routes.contract import ReportStopEvent, RouteRef
from haulier.kernel.operations.ids import StopId


class RiderMakeLockerCode(ReportStopEvent):
    """The stop at a locker into whose box a parcel is put by a code."""


class RiderOpenLocker(ReportStopEvent):
    """The stop at a locker whose box shall open."""

    give_up: bool = False
    """If true, give up a compartment that does not open and sends no status. The parcel goes to the alternative chosen
    for its order."""


class RiderLockerStop(RouteRef):
    """A stop at a locker."""

    stop_id: StopId
