"""The document policy of a business, and the status of its drivers' documents."""

from collections.abc import Collection
from datetime import date, timedelta

from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.rules import (
    DRIVER_DOCUMENTS_NOT_IN_ORDER,
    DocumentKindStatus,
    DriverDocumentKind,
    DriverDocumentPolicy,
    document_kind_statuses,
    missing_route_documents,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork


def get_business_day(call: Call) -> date:
    """The day it is, by the business's calendar."""
    return call.today


async def load_document_policy(work: UnitOfWork) -> DriverDocumentPolicy:
    """The document policy of this client; the default one until it has set its own."""
    return _to_document_policy(await store.get_driver_policy_row(work))


async def get_due_day(call: Call) -> date:
    """Return the last day of the notice period: documents that expire by then are due."""
    return call.today + timedelta(days=(await load_document_policy(call.work)).notice_days)


async def count_due_driver_documents(call: Call, until: date, contractor_id: int | None = None) -> int:
    """Return the number of documents of active drivers that expire by a day."""
    own = {} if contractor_id is None else {"contractor": contractor_id}
    return await store.count_due_document_rows(call.work, {"due_until": until, **own})


async def load_document_policy_of_client(work: UnitOfWork, client_id: int) -> DriverDocumentPolicy:
    """Return the document policy of another client, for an applicant there."""
    return _to_document_policy(await store.get_driver_policy_row_of_client(work, client_id))


def _to_document_policy(row: store.DriverPolicyRow | None) -> DriverDocumentPolicy:
    if row is None:
        return DriverDocumentPolicy()
    return DriverDocumentPolicy(
        required=frozenset(map(DriverDocumentKind, row.required)),
        blocks_start=bool(row.blocks_start),
        notice_days=row.notice_days,
        registration_open=bool(row.registration_open),
    )


async def load_document_kind_statuses(
    call: Call, driver_ids: Collection[int], policy: DriverDocumentPolicy
) -> dict[int, list[DocumentKindStatus]]:
    """The status of some drivers' documents by kind, in one statement."""
    documents: dict[int, list[store.DriverDocumentRow]] = {driver_id: [] for driver_id in driver_ids}
    for row in await store.list_documents_of_drivers(call.work, driver_ids):
        documents[row.driver_id].append(row)
    day = get_business_day(call)
    return {driver_id: document_kind_statuses(rows, policy, day) for driver_id, rows in documents.items()}


async def require_driver_documents(call: Call, driver_id: int | None) -> None:
    """Refuse to start a route whose driver lacks a valid required document.

    Applies if the policy requires it, and not to routes without a driver. Raises `DRIVER_DOCUMENTS_NOT_IN_ORDER`.
    """
    policy = await load_document_policy(call.work)
    if driver_id is None or not (policy.blocks_start and policy.required):
        return
    statuses = await load_document_kind_statuses(call, [driver_id], policy)
    if missing := missing_route_documents(statuses[driver_id], policy):
        raise DRIVER_DOCUMENTS_NOT_IN_ORDER(kinds=", ".join(call.translate(f"paper_kind_{kind}") for kind in missing))
