"""Refusal reasons for callers."""

from msgspec import UNSET

from haulier.contexts.tracking.ingest.contract import IngestRefusal
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.kernel.call import Call


def refusal_answer(call: Call, reason: RefusalReason) -> IngestRefusal:
    """Return a reason in the caller's language."""
    code = reason.message.rpartition(".")[2].upper()  # the form that codes have in an error's body
    hint = call.translate(reason.hint, **reason.params) if reason.hint else UNSET
    return IngestRefusal(
        path=reason.path, code=code, message=call.translate(reason.message, **reason.params), hint=hint
    )
