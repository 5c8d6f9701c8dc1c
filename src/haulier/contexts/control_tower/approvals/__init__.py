"""Approvals: the queue of writes that wait for a human.

Terms: pending write (a proposed call, stored instead of run), proposer, reviewer, preview (changes, messages and answer
of its dry run), policy (rules of the client).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.APPROVALS
