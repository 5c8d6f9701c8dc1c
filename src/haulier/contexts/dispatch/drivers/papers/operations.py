"""Papers of drivers: hand in, list, show, review, remove."""

from datetime import timedelta
from typing import Any

from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.asking import today
from haulier.contexts.dispatch.drivers.papers.contract import (
    AddDriverDocument,
    DriverDocuments,
    ListDriverDocuments,
    OneDriverDocument,
    ReviewDriverDocument,
    TheDocument,
)
from haulier.contexts.dispatch.drivers.papers.rules import PAPER_NOT_YOURS, PAPER_OVER, Verdict, demand_not_over
from haulier.contexts.dispatch.drivers.papers.showing import records, shown
from haulier.contexts.dispatch.drivers.papers.watching import watch
from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.contexts.documents.public import BODY_LIMIT_BYTES, discard, keep, shown_by
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND, Refusal
from haulier.kernel.operation import GraphQL, Limit, Rest, reads, writes

TAG = "DriverInfo"
PATH = "/v1/driver-documents"


@shown_by("driver", Scope.DRIVERS_READ)
async def may_see_driver(call: Call, driver_id: int) -> bool:
    """Files about a driver are open to the driver and to the contractor they drive for."""
    if call.principal.account not in STAFF:
        return False
    try:
        await visible_driver(call, driver_id)
    except Refusal:
        return False
    return True


@writes(
    "add_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=BODY_LIMIT_BYTES,
    limits=(Limit(60, 3600, ("user",)),),
    errors=(NOT_FOUND, PAPER_OVER),
    doors=(Rest("POST", "/v1/drivers/{driver_id}/documents", status=201, tag=TAG), GraphQL("addDriverDocument")),
)
async def add_driver_document(call: Call, request: AddDriverDocument) -> OneDriverDocument:
    """Hand in a paper of a driver, with a photo or a scan of it.

    From a driver or a contractor it waits for the office to look at it; what the office hands in itself is valid at once.
    Papers that were handed in before stay.
    """
    await visible_driver(call, request.driver_id)
    office = call.principal.account in OFFICE
    if office:
        demand_not_over(request.expires_on, today(call))
    about, given = f"driver:{request.driver_id}", request.file
    file_id = given and await keep(
        call, content=given.decoded, media_type=given.media_type, name=given.name, about=about
    )
    paper_id = await store.add(
        call.work,
        **{**request.model_dump(exclude={"file"}), "kind": request.kind.value},
        file_id=file_id,
        verdict=(Verdict.VALID if office else Verdict.PENDING).value,
        uploaded_by=call.actor,
        uploaded_at=call.now,
        reviewed_by=call.actor if office else None,
        reviewed_at=call.now if office else None,
    )
    if office:
        await watch(call, paper_id, request.expires_on)
    call.concerns("driver", request.driver_id)
    return await shown(call, paper_id)


@reads(
    "list_driver_documents",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("driverDocuments")),
)
async def list_driver_documents(call: Call, request: ListDriverDocuments) -> DriverDocuments:
    """List papers of drivers, what ends first before the rest. A contractor sees those of their drivers, a driver their own."""
    day, account = today(call), call.principal.account
    soon = request.expires_within_days
    filters = {
        "driver": request.driver_id,
        "kind": request.kind and request.kind.value,
        "until": None if soon is None else day + timedelta(days=soon),
        "contractor": call.actor if account is Account.CONTRACTOR else None,
        "user": call.actor if account is Account.DRIVER else None,
    }
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.page(call.work, given, request.state, day, limit=request.per_page, offset=request.offset)
    return DriverDocuments(
        total=total, page=request.page, per_page=request.per_page, documents=await records(call, rows)
    )


@reads(
    "get_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", f"{PATH}/{{document_id}}", tag=TAG), GraphQL("driverDocument")),
)
async def get_driver_document(call: Call, request: TheDocument) -> OneDriverDocument:
    """Show a paper of a driver. Its file is opened with `get_file`."""
    return OneDriverDocument(document=(await records(call, [await _visible(call, request.document_id)]))[0])


@writes(
    "review_driver_document",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAPER_OVER),
    doors=(Rest("POST", f"{PATH}/{{document_id}}/review", tag=TAG), GraphQL("reviewDriverDocument")),
)
async def review_driver_document(call: Call, request: ReviewDriverDocument) -> OneDriverDocument:
    """Accept a paper or reject it, and put right what the driver misread. A paper that is over is not accepted."""
    paper = await _visible(call, request.document_id, lock=True)
    read = request.model_dump(include={"number", "expires_on"}, exclude_none=True)
    expires_on = request.expires_on or paper.expires_on
    if request.verdict == Verdict.VALID:
        demand_not_over(expires_on, today(call))
    if request.verdict == Verdict.VALID and expires_on != paper.expires_on:
        read |= {"told_soon_at": None, "told_over_at": None}
    reviewed = {
        "verdict": request.verdict,
        "reason": request.reason,
        "reviewed_by": call.actor,
        "reviewed_at": call.now,
    }
    await store.change(call.work, paper.id, **read, **reviewed)
    if request.verdict == Verdict.VALID:
        await watch(call, paper.id, expires_on)
    call.concerns("driver", paper.driver_id)
    return await shown(call, paper.id)


@writes(
    "remove_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAPER_NOT_YOURS),
    doors=(Rest("DELETE", f"{PATH}/{{document_id}}", tag=TAG), GraphQL("removeDriverDocument")),
)
async def remove_driver_document(call: Call, request: TheDocument) -> Done:
    """Forget a paper and its file for good. Outside the office, only while nobody has looked at it."""
    paper = await _visible(call, request.document_id, lock=True)
    if call.principal.account not in OFFICE and paper.verdict != Verdict.PENDING:
        raise PAPER_NOT_YOURS()
    await store.remove(call.work, paper.id)
    if paper.file_id:
        await discard(call, [paper.file_id])
    call.concerns("driver", paper.driver_id)
    return Done(message=call.say("driver_document_removed"))


async def _visible(call: Call, paper_id: int, *, lock: bool = False) -> Any:
    paper = await store.one(call.work, paper_id, lock=lock)
    if paper is None:
        raise NOT_FOUND()
    await visible_driver(call, paper.driver_id)
    return paper
