"""Contractors and partners: the standby queue of the route board."""

from haulier.contexts.marketplace.public import BoardStandbyQueue
from haulier.contexts.routes.ports import StandbyQueue
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {StandbyQueue: BoardStandbyQueue()}


PART = Part(adapters=_adapters)
