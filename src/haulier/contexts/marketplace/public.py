"""Public interface of the marketplace."""

from haulier.contexts.marketplace.route_board.actions import BoardStandbyQueue

__all__ = ["BoardStandbyQueue"]
