"""Inverses of steps that end a record, or the reasons why a step is final."""

from msgspec import Struct


class RevertedBy(Struct, frozen=True):
    """The operation that reverts a step.

    `step` is its action in the same state machine; empty for ledger entries.
    """

    operation: str
    step: str = ""


class Final(Struct, frozen=True):
    """A step that cannot be reverted. `reason` explains why and what to do instead."""

    reason: str


Inverse = RevertedBy | Final
