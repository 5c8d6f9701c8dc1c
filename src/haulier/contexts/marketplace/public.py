"""Public interface of the marketplace."""

from haulier.contexts.marketplace.route_board.actions.standby_port import BoardStandbyQueue

__all__ = ["BoardStandbyQueue"]
