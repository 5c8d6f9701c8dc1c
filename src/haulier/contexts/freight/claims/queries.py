"""Access to the documents of freight claims."""

from haulier.contexts.documents.public import declare_files_of_people, register_file_access
from haulier.contexts.freight.claims import store
from haulier.contexts.freight.claims.store import FreightClaimRow
from haulier.contexts.identity.public import is_customer
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.operations.enums import Scope

CLAIM_SUBJECT = "freight_claim"
"""Subject of documents: `freight_claim:<claim>`."""
declare_files_of_people(CLAIM_SUBJECT, RecordKind.SHIPMENTS, store.personal_documents)


@register_file_access(CLAIM_SUBJECT, Scope.ORDERS_READ)
async def may_see_claim(call: Call, claim_id: int) -> bool:
    """Return True for the customer of a claim."""
    row = await FreightClaimRow.get(call.work, claim_id)
    return is_customer(call) and row is not None and row.customer_id == call.actor
