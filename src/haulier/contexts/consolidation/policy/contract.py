"""What goes in and out of the policy."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

DAYS_MAX = 3650


class SetConsolidationPolicy(Request):
    """What to change; what is left out stays as it is."""

    unclaimed_after_days: int | None = Field(default=None, ge=1, le=DAYS_MAX, examples=[45])
    """After how many days a parcel that nobody claims counts as unclaimed."""
    queue_unannounced: bool | None = None
    """Whether parcels that carriers report and nobody announced, nobody ordered and nobody here sent are taken into the
    queue of unmatched parcels."""


class ConsolidationPolicyAnswer(Answer):
    """The policy."""

    result: bool = True
    unclaimed_after_days: Annotated[
        int, doc("After how many days a parcel that nobody claims counts as unclaimed.", 30)
    ]
    queue_unannounced: Annotated[
        bool, doc("Whether parcels that carriers report and nobody announced are taken into the queue.")
    ]
