"""What a driver says before and in front of a locker."""

from haulier.contexts.routes.routes.contract import ReportStopEvent, RouteRef
from haulier.kernel.operations.fields import RecordId


class RiderMakeLockerCode(ReportStopEvent):
    """The stop at a locker into whose box a parcel is put by a code."""


class RiderOpenLocker(ReportStopEvent):
    """The stop at a locker whose box shall open."""

    give_up: bool = False
    """The door does not open and the cabinet says nothing: the parcel goes elsewhere, as was chosen for its order."""


class RiderLockerStop(RouteRef):
    """A stop at a locker."""

    stop_id: RecordId
