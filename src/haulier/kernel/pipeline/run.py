"""What happens to every call, whichever door it came through. `_run` reads like the list in ARCHITECTURE.md."""

import logging
import time
from typing import Any

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.change_capture import RecordingUnitOfWork
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict, UnitOfWork
from haulier.kernel.http.conditional_requests import matches_preconditions
from haulier.kernel.http.response_cache import PendingEntry
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import (
    BUSY_TRY_AGAIN,
    CANNOT_WAIT,
    CONFIRM_REQUIRED,
    CONFLICT,
    INTERNAL_ERROR,
    OperationError,
)
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.authorise import check_access as access_error
from haulier.kernel.pipeline.hide_prices import hide_prices
from haulier.kernel.pipeline.http_caching import (
    answer_from_cache,
    check_unchanged,
    make_cache_key,
    set_cache_control,
    set_validators,
)
from haulier.kernel.pipeline.idempotency import claim_idempotency_key
from haulier.kernel.pipeline.metrics import count_call
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.spans import call_span
from haulier.kernel.pipeline.token_audience import require_audience
from haulier.kernel.principal import ANONYMOUS, Principal
from haulier.kernel.request_context import RequestContext

MAX_ATTEMPTS = 4
log = logging.getLogger("haulier.call")


async def handle_request(app: Application, operation_request: OperationRequest) -> OperationResult:
    """Answer one call. Never raises: a refusal, a fault of ours and a busy database all come back as an outcome."""
    language = negotiate_language(operation_request.accept_language)
    outcome = OperationResult(language=language, request_id=operation_request.request_id)
    began = time.perf_counter()
    with call_span(operation_request.operation.name):
        try:
            await _run_steps(app, operation_request, outcome)
        except OperationError as refusal:
            _set_error(app, outcome, refusal)
        except UniqueConflict:
            _set_error(app, outcome, CONFLICT())
        except TransactionRetry:
            _set_error(app, outcome, BUSY_TRY_AGAIN())
        except Exception:
            log.exception(
                "operation %s failed",
                operation_request.operation.name,
                extra={"request_id": operation_request.request_id},
            )
            _set_error(app, outcome, INTERNAL_ERROR(request_id=operation_request.request_id))
    count_call(operation_request.operation.name, operation_request.door, outcome.status, time.perf_counter() - began)
    if operation_request.operation.effect is Effect.WRITE:
        facts = {"request_id": operation_request.request_id, "door": operation_request.door, "status": outcome.status}
        log.info("%s", operation_request.operation.name, extra=facts)
    return outcome


async def _run_steps(app: Application, operation_request: OperationRequest, outcome: OperationResult) -> None:
    operation = operation_request.operation
    principal = await authenticate(app, operation_request)
    authorise(app, operation, principal)
    body = (
        codec.wrap_json_document(operation_request.body_field, operation_request.body)
        if operation_request.body_field
        else operation_request.body
    )
    request = codec.parse_request(operation.request, body, operation_request.texts)
    _limit_rate(app, operation_request, principal, request)
    _require_confirmation(operation_request)
    if operation.effect is Effect.WRITE:
        await _run_write(app, operation_request, outcome, principal, request)
    else:
        cache_key = (
            make_cache_key(operation_request, outcome) if operation.invalidated_by and principal is ANONYMOUS else None
        )
        if cache_key is None or not answer_from_cache(app, operation_request, outcome, cache_key):
            await _run_read(
                app,
                operation_request,
                outcome,
                principal,
                request,
                app.response_cache.pending_entry(cache_key, operation) if cache_key else None,
            )
    if principal.hidden_prices:
        hide_prices(outcome.answer, principal.hidden_prices)  # type: ignore[arg-type]


async def _run_read(
    app: Application,
    operation_request: OperationRequest,
    outcome: OperationResult,
    principal: Principal,
    request: Request,
    pending_entry: PendingEntry | None,
) -> None:
    operation = operation_request.operation
    async with app.database.read(principal.client_id) as work:
        call = _make_call(app, operation_request, outcome, principal, work)
        if operation.fingerprint:
            set_cache_control(call, operation_request)
            outcome.unchanged = pending_entry is None and await check_unchanged(call, operation_request, request)
        if outcome.unchanged:
            return
        outcome.answer = await operation.handler(call, request)
        if operation.fingerprint and call.fingerprint:
            etag = set_validators(call, operation_request, call.fingerprint)
            if pending_entry:  # whoever has it is spared it, but it is read to be kept
                outcome.store = app.response_cache.store_callback(
                    pending_entry, operation, request, call.headers, call.fingerprint
                )
                outcome.unchanged = matches_preconditions(operation_request.known, etag, call.fingerprint)


async def authenticate(app: Application, operation_request: OperationRequest) -> Principal:
    """Who calls. A public operation does not fail over a stale token: it is then answered as to nobody."""
    if operation_request.principal is not None:
        return operation_request.principal
    if operation_request.token is None:
        return ANONYMOUS
    try:
        require_audience(operation_request.token, operation_request.server)
        async with app.database.read(None) as work:
            principal = await app.identity.identify(work, operation_request.token, app.clock())
    except OperationError:
        if operation_request.operation.public:
            return ANONYMOUS
        if operation_request.operation.on_invalid_token:
            await operation_request.operation.on_invalid_token(
                _make_context(app, operation_request, ANONYMOUS), operation_request.token
            )
        raise
    if operation_request.narrow_to is None:
        return principal
    return Principal(
        **{name: getattr(principal, name) for name in principal.__struct_fields__ if name != "scopes"},
        scopes=principal.scopes & operation_request.narrow_to,
    )


def authorise(app: Application, operation: Operation[Any, Any], principal: Principal) -> None:
    """Refuse a caller who may not. The rule is `steps/authorise.py`."""
    if refusal := access_error(operation, principal, app.modules_missing):
        raise refusal


def _limit_rate(app: Application, operation_request: OperationRequest, principal: Principal, request: Request) -> None:
    if operation_request.operation.limits:
        known = {"address": operation_request.address, "user": principal.user_id}

        def fact(name: str) -> Any:
            return known[name] if name in known else getattr(request, name, "")

        app.rate_limiter.consume(operation_request.operation.name, operation_request.operation.limits, fact)


def _require_confirmation(operation_request: OperationRequest) -> None:
    operation = operation_request.operation
    if operation.confirm and not (
        operation_request.confirmed or operation_request.dry_run or operation_request.needs_approval
    ):
        raise CONFIRM_REQUIRED(operation=operation.name)


async def _run_write(
    app: Application,
    operation_request: OperationRequest,
    outcome: OperationResult,
    principal: Principal,
    request: Request,
) -> None:
    """One transaction, tried again when the database asks for it (a deadlock, a serialisation failure)."""
    operation = operation_request.operation
    prepared = (
        await operation.prepare(_make_context(app, operation_request, principal), request)
        if operation.prepare
        else None
    )
    for attempt in range(MAX_ATTEMPTS):
        try:
            async with app.database.write(principal.client_id) as work:
                recording = RecordingUnitOfWork(work) if operation_request.dry_run else None
                call = _make_call(app, operation_request, outcome, principal, recording or work)
                call.prepared = prepared
                await _execute_write(app, operation_request, outcome, call, request)
                if recording:
                    await work.run_deferred()
                    work.rollback_only()
                    outcome.message = call.translate("rehearsed")
                    outcome.side_effects = (
                        call.side_effects if principal is not ANONYMOUS else []
                    )  # else: who has an account here?
                    outcome.changes = recording.changes.listed() if principal.sees_records else None
            return
        except TransactionRetry:
            if attempt == MAX_ATTEMPTS - 1:
                raise


async def _execute_write(
    app: Application, operation_request: OperationRequest, outcome: OperationResult, call: Call, request: Request
) -> None:
    """A write that has to wait becomes the write that proposes it: claimed, recorded and answered like any other."""
    operation = operation_request.operation
    if operation_request.needs_approval:
        if app.approvals is None:
            raise CANNOT_WAIT(operation=operation.name)
        operation, request = app.approvals.to_proposal(operation, request)
        outcome.pending_approval = True
    key = operation_request.idempotency_key if operation.replayable else None
    repeat = (
        await claim_idempotency_key(call, operation, key, _request_bytes(operation_request))
        if key is not None
        else None
    )
    if repeat and repeat.stored:
        outcome.answer, outcome.replayed = repeat.stored, True
        return
    answer = outcome.answer = await operation.handler(call, request)
    await record_audit_entry(call, operation, request, operation_request.door)
    if repeat:
        await repeat.store(call, answer)


def _request_bytes(operation_request: OperationRequest) -> bytes:
    """The request as it came, for telling a repeat from another request. Hashed at once: it may hold a password."""
    return operation_request.body + codec.encode_json(
        [operation_request.operation.name, *sorted(operation_request.texts.items())]
    )


def _make_call(
    app: Application,
    operation_request: OperationRequest,
    outcome: OperationResult,
    principal: Principal,
    work: UnitOfWork,
) -> Call:
    headers: dict[str, str] = {}
    outcome.headers = headers
    return Call(
        app=app,
        principal=principal,
        work=work,
        now=app.clock(),
        language=outcome.language,
        request_id=operation_request.request_id,
        dry_run=operation_request.dry_run,
        address=operation_request.address,
        agent=operation_request.agent,
        headers=headers,
    )


def _make_context(app: Application, operation_request: OperationRequest, principal: Principal) -> RequestContext:
    return RequestContext(
        app=app,
        principal=principal,
        address=operation_request.address,
        dry_run=operation_request.dry_run,
        agent=operation_request.agent,
    )


def _set_error(app: Application, outcome: OperationResult, refusal: OperationError) -> None:
    outcome.answer = None
    outcome.status = refusal.error_type.status
    outcome.headers = refusal.headers
    outcome.error = render_error(refusal, app.catalogues, outcome.language, outcome.request_id)
