"""The steps of every call. `_run_steps` follows the list in ARCHITECTURE.md."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.change_capture import MAX_LISTED_CHANGES
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict, UnitOfWork
from haulier.kernel.deadlines import OutOfTime, run_until
from haulier.kernel.foreign_files import check_foreign_files
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import (
    CANNOT_WAIT,
    CONFIRM_REQUIRED,
    CONFLICT,
    DEADLINE_EXCEEDED,
    INTERNAL_ERROR,
    MAINTENANCE,
    OUTCOME_UNKNOWN,
    OperationError,
)
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.cached_reads import CallerCachedRead
from haulier.kernel.pipeline.dry_run import DryRun, dry_run
from haulier.kernel.pipeline.hide_prices import hide_prices, require_no_price_comparison
from haulier.kernel.pipeline.http_caching import CachedRead
from haulier.kernel.pipeline.idempotency import (
    IdempotencyClaim,
    claim_idempotency_key,
    digest_request,
    is_repeat,
    require_first_time,
)
from haulier.kernel.pipeline.limit_rate import limit_failures, limit_rate
from haulier.kernel.pipeline.local_times import to_local_times
from haulier.kernel.pipeline.metrics import count_call, count_database_error
from haulier.kernel.pipeline.missing_record import name_missing_record
from haulier.kernel.pipeline.outages import OUTAGES, outage_error, try_later
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.spans import call_span
from haulier.kernel.pipeline.token_audience import require_audience
from haulier.kernel.principal import ANONYMOUS, Principal
from haulier.kernel.request_context import RequestContext

Run = Callable[[Application, OperationRequest, OperationResult, Principal, Request], Awaitable[None]]
MAX_ATTEMPTS = 4
APPROVAL_HEADER = "X-Approval"
"""Header set on a write that ran immediately although the caller requires approval of riskier ones."""
log = logging.getLogger("haulier.call")


async def handle_request(app: Application, incoming: OperationRequest) -> OperationResult:
    """Run one call.

    Never raises: all errors, outages and timeouts become an error result.
    """
    result = OperationResult(language=negotiate_language(incoming.accept_language), request_id=incoming.request_id)
    result.deprecations = incoming.operation.find_deprecations()
    name, began = incoming.operation.name, time.perf_counter()
    with call_span(name):
        try:
            await _run_within_deadline(app, incoming, result)
        except OperationError as error:
            _set_error(app, result, error)
        except UniqueConflict:
            _set_error(app, result, CONFLICT())
        except OUTAGES as error:
            count_database_error(error)
            log.warning("operation %s: %s", name, error, extra={"request_id": incoming.request_id})
            _set_error(app, result, outage_error(error))
        except Exception:
            log.exception("operation %s failed", name, extra={"request_id": incoming.request_id})
            _set_error(app, result, INTERNAL_ERROR(request_id=incoming.request_id))
    seconds = time.perf_counter() - began
    count_call(name, incoming.interface, result.status, seconds)
    if incoming.operation.effect is Effect.WRITE and not incoming.operation.unaudited:
        _log_write(incoming, result, seconds)
    return result


def _log_write(incoming: OperationRequest, result: OperationResult, seconds: float) -> None:
    facts = {
        "request_id": incoming.request_id,
        "door": incoming.interface,
        "status": result.status,
        "ms": round(seconds * 1000),
        "client": result.client_id,
        "user": result.user_id,
    }
    log.info("%s", incoming.operation.name, extra=facts)


async def _run_within_deadline(app: Application, incoming: OperationRequest, result: OperationResult) -> None:
    """Run all steps, including every wait and retry, under one deadline."""
    ends_s = asyncio.get_running_loop().time() + app.call_deadline_s
    try:
        await run_until(ends_s, _run_steps(app, incoming, result))
    except OutOfTime as error:
        raise try_later(OUTCOME_UNKNOWN if result.commit_begun else DEADLINE_EXCEEDED) from error


async def _run_steps(app: Application, incoming: OperationRequest, result: OperationResult) -> None:
    principal = await authenticate(app, incoming)
    result.client_id, result.user_id = principal.client_id, principal.user_id
    authorise(app, incoming.operation, principal)
    if app.in_maintenance and incoming.operation.effect is Effect.WRITE:
        raise try_later(MAINTENANCE)
    cached = incoming.operation.cached
    reading = CallerCachedRead(app, incoming, result, principal, cached) if cached else None
    if reading and reading.answer_from_memory():
        return
    request = _parse(incoming)
    result.deprecations = incoming.operation.find_deprecations(request.model_fields_set)
    require_no_price_comparison(request, principal.hidden_prices)
    await limit_rate(app, incoming, principal, request)
    _require_confirmation(incoming)
    try:
        if reading:
            await _run_read(app, incoming, result, principal, request, reading)
        else:
            await _run_for(incoming.operation)(app, incoming, result, principal, request)
    except OperationError as error:
        await limit_failures(app, incoming, principal, request, error)
        raise name_missing_record(error, incoming.operation, request) from None
    await _run_after_commit(app, incoming, result, principal, request)
    if principal.hidden_prices:
        hide_prices(result.answer, principal.hidden_prices)  # type: ignore[arg-type]
    if principal.business:
        to_local_times(result.answer, ZoneInfo(principal.business.time_zone))


async def _run_after_commit(
    app: Application, incoming: OperationRequest, result: OperationResult, principal: Principal, request: Request
) -> None:
    """Run the operation's `after_commit` after the commit.

    From here on, a timeout means an unknown outcome.
    """
    after_commit = incoming.operation.after_commit
    if after_commit is None or incoming.dry_run or result.pending_approval:
        return
    result.commit_begun = True
    result.answer = await after_commit(_make_context(app, incoming, principal), request, result.answer)


def _run_for(operation: Operation[Any, Any]) -> Run:
    if operation.effect is Effect.WRITE:
        return _run_write
    return _run_audited_read if operation.audited else _run_read


async def authenticate(app: Application, incoming: OperationRequest) -> Principal:
    """Return the caller.

    Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`, for public reads too.

    Public writes (sign-in, password reset, invitation) are for users without a valid token, so they ignore an invalid
    one.
    """
    if incoming.principal is not None:
        return incoming.principal
    if incoming.token is None:
        return ANONYMOUS
    try:
        require_audience(incoming.token, incoming.server)
        principal = await app.callers.identify(incoming.token, app.clock())
    except OUTAGES as error:
        raise outage_error(error) from error
    except OperationError:
        # A client with an expired token sends it along when it signs in again.
        if incoming.operation.public and incoming.operation.effect is Effect.WRITE:
            return ANONYMOUS
        if incoming.operation.on_invalid_token:
            await incoming.operation.on_invalid_token(_make_context(app, incoming, ANONYMOUS), incoming.token)
        raise
    if incoming.narrow_to is None:
        return principal
    return replace(
        principal,
        scopes=principal.scopes & incoming.narrow_to,
        withheld=principal.scopes - incoming.narrow_to,
        narrowed_by=incoming.narrowed_by,
    )


def authorise(app: Application, operation: Operation[Any, Any], principal: Principal) -> None:
    """Raise an error if the caller may not call the operation.

    See `pipeline/authorise.py`.
    """
    if error := check_access(operation, principal, app.modules_missing):
        raise error


def _parse(incoming: OperationRequest) -> Request:
    body = incoming.body
    if incoming.body_field:
        body = codec.wrap_json_document(incoming.body_field, body)
    return codec.parse_request(incoming.operation.request, body, incoming.texts, incoming.foreign)


def _require_confirmation(incoming: OperationRequest) -> None:
    needed = incoming.operation.confirm and not (incoming.dry_run or incoming.needs_approval)
    if needed and not incoming.confirmed:
        raise CONFIRM_REQUIRED(operation=incoming.operation.name)


async def _run_read(
    app: Application,
    incoming: OperationRequest,
    result: OperationResult,
    principal: Principal,
    request: Request,
    caller_read: CallerCachedRead | None = None,
) -> None:
    """Run a read. After a database failure, retry once on the primary."""
    prepared = await _prepare(app, incoming, principal, request)
    http = incoming.operation.http
    cached = CachedRead(app, incoming, result, principal, http) if http else None
    if cached and cached.answer_from_memory():
        return
    try:
        async with app.database.read(principal.client_id, replica=incoming.operation.may_read_replica) as work:
            call = _make_call(app, incoming, result, principal, work)
            call.prepared = prepared
            await _read(incoming, result, call, request, cached)
    except OUTAGES:
        async with app.database.read(principal.client_id) as work:
            call = _make_call(app, incoming, result, principal, work)
            call.prepared = prepared
            await _read(incoming, result, call, request, cached)
    if caller_read:
        caller_read.after(call, request)


async def _run_audited_read(
    app: Application, incoming: OperationRequest, result: OperationResult, principal: Principal, request: Request
) -> None:
    """Read and record an audit entry in one transaction."""
    async with app.database.write(principal.client_id) as work:
        call = _make_call(app, incoming, result, principal, work)
        result.answer = await incoming.operation.handler(call, request)
        await record_audit_entry(call, incoming.operation.name, request, incoming.interface)


async def _read(
    incoming: OperationRequest, result: OperationResult, call: Call, request: Request, cached: CachedRead | None
) -> None:
    if cached and await cached.before(call, request):
        return
    result.answer = await incoming.operation.handler(call, request)
    if cached:
        cached.after(call, request)


async def _run_write(
    app: Application, incoming: OperationRequest, result: OperationResult, principal: Principal, request: Request
) -> None:
    """Run a write in one transaction; retry deadlocks and serialisation failures."""
    prepared = await _prepare(app, incoming, principal, request)
    execute = _run_dry_write if incoming.dry_run else _execute_write
    for attempt in range(MAX_ATTEMPTS):
        work: UnitOfWork | None = None
        try:
            async with app.database.write(principal.client_id) as work:
                call = _make_call(app, incoming, result, principal, work)
                call.prepared = prepared
                await execute(app, incoming, result, call, request)
            return
        except TransactionRetry:
            if attempt == MAX_ATTEMPTS - 1:
                raise
        except asyncio.CancelledError:
            result.commit_begun = work is not None and work.committing
            raise


async def _prepare(app: Application, incoming: OperationRequest, principal: Principal, request: Request) -> Any:
    prepare = incoming.operation.prepare
    if prepare is not None:
        await _require_first_time(app, incoming, principal, request)
    try:
        await check_foreign_files(app, request)
        if prepare is None:
            return None
        return await prepare(_make_context(app, incoming, principal), request)
    except OperationError:
        # The first call may have changed what `prepare` checks, but a repeat still gets the first answer.
        if not await _is_repeat(app, incoming, principal, request):
            raise
        return None


async def _require_first_time(
    app: Application, incoming: OperationRequest, principal: Principal, request: Request
) -> None:
    """Refuse a repeat with a secret answer before `prepare`.

    `prepare` may call external services.
    """
    key, operation = incoming.idempotency_key, incoming.operation
    if key is None or operation.replayable or incoming.needs_approval:
        return
    digest = digest_request(operation, request, b"")
    async with app.database.read(principal.client_id) as work:
        await require_first_time(work, principal, operation, key, digest)


async def _is_repeat(app: Application, incoming: OperationRequest, principal: Principal, request: Request) -> bool:
    key, operation = incoming.idempotency_key, incoming.operation
    if key is None or not operation.replayable:
        return False
    async with app.database.read(principal.client_id) as work:
        digest = digest_request(operation, request, _request_bytes(incoming))
        return await is_repeat(work, principal, operation, key, digest)


async def _run_dry_write(
    app: Application, incoming: OperationRequest, result: OperationResult, call: Call, request: Request
) -> None:
    """Preview a write and roll it back.

    A repeat of a real call returns the stored answer.
    """
    work = call.work
    claim = await _claim_key(incoming, call, incoming.operation, request)
    if claim and claim.stored:
        preview = DryRun(answer=claim.stored, side_effects=[], changes=[])
    else:
        preview = await dry_run(call, incoming.operation, request)
    work.mark_for_rollback()
    result.answer, result.replayed = preview.answer, bool(claim and claim.stored)
    result.message = call.translate("dry_run.done")
    # Side effects would reveal to an anonymous caller if an address has an account.
    result.side_effects = [] if call.principal is ANONYMOUS else preview.side_effects
    result.changes = preview.changes[:MAX_LISTED_CHANGES] if call.principal.sees_records else None


async def _execute_write(
    app: Application, incoming: OperationRequest, result: OperationResult, call: Call, request: Request
) -> None:
    """Claim the key, then run and record the write, or propose it for approval."""
    operation = incoming.operation
    if incoming.needs_approval:
        if app.approvals is None:
            raise CANNOT_WAIT(operation=operation.name)
        operation, request = app.approvals.to_proposal(operation, request)
        result.pending_approval = True
    result.not_queued = incoming.is_below_approval
    if result.not_queued:
        call.headers[APPROVAL_HEADER] = "not-required"
    claim = await _claim_key(incoming, call, operation, request)
    if claim and claim.stored:
        result.answer, result.replayed = claim.stored, True
        return
    answer = result.answer = await operation.handler(call, request)
    if not operation.unaudited:
        await record_audit_entry(call, operation.name, request, incoming.interface)
    if claim:
        await claim.store(call, answer)


async def _claim_key(
    incoming: OperationRequest, call: Call, operation: Operation[Any, Any], request: Request
) -> IdempotencyClaim | None:
    """Claim the request's idempotency key; None without a key."""
    if incoming.idempotency_key is None:
        return None
    digest = digest_request(operation, request, _request_bytes(incoming))
    return await claim_idempotency_key(call, operation, incoming.idempotency_key, digest)


def _request_bytes(incoming: OperationRequest) -> bytes:
    """Return the request as received, to detect repeats.

    It may contain a password, so callers only hash it.
    """
    return incoming.body + codec.encode_json([incoming.operation.name, *sorted(incoming.texts.items())])


def _make_call(
    app: Application, incoming: OperationRequest, result: OperationResult, principal: Principal, work: UnitOfWork
) -> Call:
    result.headers = headers = dict[str, str]()
    return call_as(
        app,
        principal,
        work,
        language=result.language,
        request_id=incoming.request_id,
        dry_run=incoming.dry_run,
        address=incoming.address,
        agent=incoming.agent,
        headers=headers,
    )


def _make_context(app: Application, incoming: OperationRequest, principal: Principal) -> RequestContext:
    return RequestContext(
        app=app.of_business(principal.business),
        principal=principal,
        address=incoming.address,
        dry_run=incoming.dry_run,
        agent=incoming.agent,
        language=negotiate_language(incoming.accept_language),
    )


def _set_error(app: Application, result: OperationResult, error: OperationError) -> None:
    result.answer = None
    result.status = error.error_type.status
    result.headers = error.headers
    result.error = render_error(error, app.catalogues, result.language, result.request_id)
