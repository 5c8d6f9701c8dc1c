"""Request and response models for the policy."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

DAYS_MAX = 3650


class SetConsolidationPolicy(Request):
    """Fields to change. Omitted fields keep their values."""

    unclaimed_after_days: int | None = Field(default=None, ge=1, le=DAYS_MAX, examples=[45])
    """Days after which a parcel without an owner counts as unclaimed."""
    queue_unannounced: bool | None = None
    """If true, unannounced parcels that carriers report are added to the queue of unmatched parcels, except those of
    orders and own shipments."""


class ConsolidationPolicyAnswer(Answer):
    """The policy."""

    result: bool = True
    unclaimed_after_days: Annotated[int, doc("Days after which a parcel without an owner counts as unclaimed.", 30)]
    queue_unannounced: Annotated[bool, doc("True if unannounced parcels that carriers report are added to the queue.")]
