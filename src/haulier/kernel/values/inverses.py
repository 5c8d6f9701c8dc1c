"""Inverses: how a step that ends a record is reverted, or the reason why it is final."""

from msgspec import Struct


class RevertedBy(Struct, frozen=True):
    """The operation that reverts a step. `step` is what it does in the same state machine; empty for entries of a ledger."""

    operation: str
    step: str = ""


class Final(Struct, frozen=True):
    """Nothing reverts the step. `reason` says why, and what is done instead."""

    reason: str


Inverse = RevertedBy | Final
