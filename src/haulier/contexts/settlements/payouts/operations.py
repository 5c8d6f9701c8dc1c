"""Operations on payouts."""

from base64 import b64encode
from urllib.parse import quote

from haulier.contexts.settlements.pay.queries import require_payee
from haulier.contexts.settlements.pay.rules import EARNING_CORRECTED
from haulier.contexts.settlements.payouts import actions, store
from haulier.contexts.settlements.payouts.contract import (
    CancelPayout,
    ClosePayouts,
    CreatePayouts,
    DisputePayout,
    ListPayouts,
    PayoutAnswer,
    PayoutFile,
    PayoutList,
    PayoutPreview,
    PayoutRef,
    PayoutsAnswer,
    PayPayouts,
    PreviewPayouts,
    ReadPayoutFile,
    ReopenPayout,
    ResolvePayoutDispute,
    UnpaidEarnings,
)
from haulier.contexts.settlements.payouts.queries import get_visible_payout, own_payee
from haulier.contexts.settlements.payouts.rules import (
    ALLOWED,
    NOTHING_TO_PAY,
    PAYOUT_DISPUTE_CLOSED,
    PAYOUT_DISPUTED,
    PAYOUT_LINE_DISPUTED,
    PAYOUT_STEP_REFUSED,
    PayoutStep,
)
from haulier.contexts.settlements.payouts.serializers import (
    candidate_records,
    payout_answer,
    payout_csv,
    payout_pdf,
    payout_records,
    payouts_answer,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/pay/payouts"
ONE = f"{PATH}/{{payout_id}}"
READERS = OFFICE | {Account.CONTRACTOR}
READ, WRITE = {Scope.DRIVERS_READ}, {Scope.DRIVERS_WRITE}
FILE_TYPES = {"pdf": "application/pdf", "csv": "text/csv"}
FILE_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in FILE_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


def _available(step: PayoutStep) -> dict[str, frozenset[str]]:
    return {"status": frozenset(str(status) for status in ALLOWED[step])}


@reads(
    "preview_payouts",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", "/v1/pay/payout-preview"), GraphQL("payoutPreview")),
)
async def preview_payouts(call: Call, request: PreviewPayouts) -> PayoutPreview:
    """Preview payouts.

    Lists the contractors and drivers with earnings that are on no payout. Nothing is created.
    """
    await _require_payee(call, request)
    until, kind = request.until or call.today, request.payee_kind
    sums = await store.sum_unpaid(call.work, until, kind.value if kind else None, request.payee_id)
    return PayoutPreview(until=until, candidates=await candidate_records(call, sums))


@writes(
    "create_payouts",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOTHING_TO_PAY,),
    interfaces=(Rest("POST", PATH, status=201), GraphQL("createPayouts")),
)
async def create_payouts(call: Call, request: CreatePayouts) -> PayoutsAnswer:
    """Create payouts to contractors and drivers.

    Each payee with earnings up to the day gets a numbered statement of all earnings that are on no payout. An earning is
    on one payout only. Payees whose deductions exceed their earnings are left out.
    """
    await _require_payee(call, request)
    return await payouts_answer(call, await actions.create_payouts(call, request))


async def _require_payee(call: Call, request: UnpaidEarnings) -> None:
    if request.payee_kind is not None and request.payee_id is not None:
        await require_payee(call, request.payee_kind, request.payee_id)


@reads(
    "list_payouts",
    audience=READERS,
    scopes=READ,
    interfaces=(Rest("GET", PATH), GraphQL("payouts")),
)
async def list_payouts(call: Call, request: ListPayouts) -> PayoutList:
    """List payouts, newest first.

    Contractors see their own.
    """
    wanted = request.model_dump(mode="json", include={"status", "payee_kind", "payee_id"}, exclude_none=True)
    if own := own_payee(call):
        wanted |= {"payee_kind": own.kind.value, "payee_id": own.id}
    rows, counted = await store.list_payout_rows(
        call.work, wanted, request.disputed, limit=request.per_page, offset=request.offset
    )
    return PayoutList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        payouts=await payout_records(call, rows),
    )


@reads(
    "get_payout",
    audience=READERS,
    scopes=READ,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", ONE), GraphQL("payout")),
)
async def get_payout(call: Call, request: PayoutRef) -> PayoutAnswer:
    """Get a payout with its lines.

    Contractors see their own.
    """
    return await payout_answer(call, await get_visible_payout(call, request.payout_id))


@reads(
    "get_payout_file",
    audience=READERS,
    scopes=READ,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{ONE}/file", representations=FILE_FORMS), GraphQL("payoutFile")),
)
async def get_payout_file(call: Call, request: ReadPayoutFile) -> PayoutFile:
    """Get a payout as PDF or CSV.

    The file is returned in base64, or as raw bytes if the Accept header requests it.
    """
    answer = await payout_answer(call, await get_visible_payout(call, request.payout_id))
    number = answer.payout.number
    if request.format == "csv":
        content = payout_csv(answer.payout_lines).encode()
    else:
        content = await payout_pdf(call, answer.payout, answer.payout_lines)
    call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(number, safe='')}.{request.format}"
    return PayoutFile(number=number, media_type=FILE_TYPES[request.format], document=b64encode(content).decode())


@writes(
    "dispute_payout",
    available_when=_available(PayoutStep.DISPUTE),
    audience=READERS,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED, PAYOUT_LINE_DISPUTED),
    interfaces=(Rest("POST", f"{ONE}/disputes"), GraphQL("disputePayout")),
)
async def dispute_payout(call: Call, request: DisputePayout) -> PayoutAnswer:
    """Dispute lines of a payout.

    Contractors dispute lines of their own payouts. The payout is not paid until every dispute is resolved.
    """
    return await payout_answer(call, await actions.dispute_payout(call, request))


@writes(
    "resolve_payout_dispute",
    available_when=_available(PayoutStep.RESOLVE),
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED, PAYOUT_DISPUTE_CLOSED, EARNING_CORRECTED),
    interfaces=(Rest("POST", f"{ONE}/disputes/resolve"), GraphQL("resolvePayoutDispute")),
)
async def resolve_payout_dispute(call: Call, request: ResolvePayoutDispute) -> PayoutAnswer:
    """Resolve disputed lines of a payout.

    With an amount, the difference of each line is added to the same payout. Without an amount, the dispute is rejected.
    """
    return await payout_answer(call, await actions.resolve_dispute(call, request))


@writes(
    "close_payouts",
    available_when=_available(PayoutStep.CLOSE),
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED, PAYOUT_DISPUTED),
    interfaces=(Rest("POST", f"{PATH}/close"), GraphQL("closePayouts")),
)
async def close_payouts(call: Call, request: ClosePayouts) -> PayoutsAnswer:
    """Approve payouts for payment.

    Their lines can no longer be disputed. Payouts with open disputes are refused, and then none is approved.
    """
    return await payouts_answer(call, await actions.close_payouts(call, request.payout_ids))


@writes(
    "pay_payouts",
    available_when=_available(PayoutStep.PAY),
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED, PAYOUT_DISPUTED),
    interfaces=(Rest("POST", f"{PATH}/pay"), GraphQL("payPayouts")),
)
async def pay_payouts(call: Call, request: PayPayouts) -> PayoutsAnswer:
    """Mark payouts as paid.

    No money is moved. Payouts with open disputes are refused, and then none is marked.
    """
    return await payouts_answer(call, await actions.pay_payouts(call, request))


@writes(
    "reopen_payout",
    available_when=_available(PayoutStep.REOPEN),
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED),
    interfaces=(Rest("POST", f"{ONE}/reopen"), GraphQL("reopenPayout")),
)
async def reopen_payout(call: Call, request: ReopenPayout) -> PayoutAnswer:
    """Reopen a closed or paid payout.

    Its lines can be disputed again, and its payment is no longer recorded.
    """
    return await payout_answer(call, await actions.reopen_payout(call, request))


@writes(
    "cancel_payout",
    available_when=_available(PayoutStep.CANCEL),
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PAYOUT_STEP_REFUSED),
    interfaces=(Rest("POST", f"{ONE}/cancel"), GraphQL("cancelPayout")),
)
async def cancel_payout(call: Call, request: CancelPayout) -> PayoutAnswer:
    """Cancel an open payout.

    Its number remains in use. Its earnings are on a later payout.
    """
    return await payout_answer(call, await actions.cancel_payout(call, request))
