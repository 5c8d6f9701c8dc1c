"""Approvals: the queue of writes waiting for a human.

Words: pending write (a proposed call that is kept instead of run), proposer, reviewer, preview (what its dry run would have
changed, sent and answered), policy (what the client allows).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.APPROVALS
