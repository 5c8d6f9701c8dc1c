"""Approvals page: pending changes with their effects, to approve or reject."""

from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.control_tower.approvals.contract import (
    ListPendingApprovals,
    PendingWrite,
    PendingWriteList,
)
from haulier.contexts.control_tower.approvals.operations import (
    approve_pending_write,
    get_approval_policy,
    get_pending_approval,
    list_pending_approvals,
    reject_pending_write,
    renew_pending_write,
    withdraw_pending_write,
)
from haulier.kernel.operations.declaration import EmptyRequest, Operation
from haulier.web.i18n import page_language, page_translator
from haulier.web.kinds.habits import Habits
from haulier.web.operations_client import Refused, call_operation, call_with_texts, read_form
from haulier.web.pages.approval_view import missing_scopes, proposal_view
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.pages.value_formatter import ValueFormatter
from haulier.web.rendering import render_page
from haulier.web.session import WebSession, app_of, current_session
from haulier.web.sse import stream_states

APPROVAL_STATUSES = ("pending", "executed", "rejected", "withdrawn", "expired")
APPROVALS_PER_PAGE = 30
APPROVALS_CHANNEL = "approvals"
"""The channel on which the database gives notice of approvals, by the number of the client."""
DECISIONS: dict[str, tuple[Operation[Any, Any], tuple[str, ...]]] = {
    "approve": (approve_pending_write, ("note", "preview_tag")),
    "reject": (reject_pending_write, ("reason",)),
    "withdraw": (withdraw_pending_write, ("reason",)),
    "renew": (renew_pending_write, ()),
}
"""Decisions of the form: operation and accepted fields."""


class ApprovalListQuery(Struct, frozen=True):
    """Filters of the list."""

    status: str
    mine: bool
    page: int

    @classmethod
    def from_request(cls, request: Request) -> "ApprovalListQuery":
        """The query of the address; without one, the first page of the pending writes."""
        params = request.query_params
        status, number = params.get("status", ""), params.get("page", "")
        page = min(int(number), 100_000) if number.isascii() and number.isdecimal() and len(number) < 7 else 1
        return cls(status if status in APPROVAL_STATUSES else "pending", params.get("mine") == "true", max(1, page))

    @property
    def operation_request(self) -> ListPendingApprovals:
        """The request for this part of the list."""
        return ListPendingApprovals.model_validate(
            {"status": self.status, "mine": self.mine, "page": self.page, "per_page": APPROVALS_PER_PAGE}
        )

    def query(self, status: str = "", page: int = 0, mine: bool | None = None) -> str:
        """The address's query, with what differs."""
        status, page, mine = status or self.status, page or self.page, self.mine if mine is None else mine
        params = {"status": status * (status != "pending"), "mine": "true" * mine, "page": str(page) * (page > 1)}
        encoded = urlencode({name: value for name, value in params.items() if value})
        return f"?{encoded}" if encoded else ""


def approval_routes() -> list[BaseRoute]:
    """`/mcp-approvals` and what belongs to it."""
    return [
        Route("/mcp-approvals", approval_list_page, methods=["GET"]),
        Route("/mcp-approvals/stream", approvals_stream, methods=["GET"]),
        Route("/mcp-approvals/{approval_id:int}", approval_page, methods=["GET"]),
        Route("/mcp-approvals/{approval_id:int}/{verb}", submit_decision, methods=["POST"]),
    ]


async def approval_list_page(request: Request) -> Response:
    """The list, beside the first of it."""
    session = await current_session(request)
    return await _approvals_page(request, session, None) if session else redirect_to_sign_in(request)


async def approval_page(request: Request) -> Response:
    """One proposed write, beside the list."""
    session = await current_session(request)
    return (
        await _approvals_page(request, session, request.path_params["approval_id"])
        if session
        else redirect_to_sign_in(request)
    )


async def submit_decision(request: Request) -> Response:
    """Approve, reject, withdraw or renew a change, then show it."""
    session, id, verb = await current_session(request), request.path_params["approval_id"], request.path_params["verb"]
    if session is None:
        return RedirectResponse(f"/sign-in?next=/mcp-approvals/{id}", 303)
    form = await read_form(request)
    if verb not in DECISIONS or not session.is_genuine_form(request, form):
        problem = page_translator(request)("sign_in.again")
        return await _approvals_page(request, session, id, status_code=403, problem=problem)
    operation, fields = DECISIONS[verb]
    note = form.get("note", "").strip()
    values = {"note": note, "reason": note, "preview_tag": form.get("preview_tag", "")}
    texts = {"approval_id": str(id), **{name: values[name] for name in fields if values[name]}}
    result = await call_with_texts(request, operation, texts, session=session)
    if isinstance(result, Refused):
        problem = _error_text(result)
        return await _approvals_page(request, session, id, status_code=result.status, problem=problem, notice=note)
    return RedirectResponse(f"/mcp-approvals/{id}", 303)


async def approvals_stream(request: Request) -> Response:
    """Server-sent events: a new state of the list, whenever it changes."""
    session = await current_session(request)
    if session is None:
        return Response(status_code=401)

    async def state() -> str | None:
        operation_request = _PENDING_APPROVALS.operation_request
        listed = await call_operation(request, list_pending_approvals, operation_request, session=session)
        return None if isinstance(listed, Refused) else approvals_state(listed.answer)

    return await stream_states(app_of(request), APPROVALS_CHANNEL, str(session.client_id), state)


_PENDING_APPROVALS = ApprovalListQuery("pending", mine=False, page=1)


def approvals_state(listed: PendingWriteList) -> str:
    """A text that changes when the list changes."""
    return f"{listed.total}:" + ",".join(f"{write.id}.{write.preview.tag}" for write in listed.approvals)


async def _approvals_page(
    request: Request,
    session: WebSession,
    id: int | None,
    *,
    status_code: int = 200,
    problem: str = "",
    notice: str = "",
) -> Response:
    list_query = ApprovalListQuery.from_request(request)
    listed = await call_operation(request, list_pending_approvals, list_query.operation_request, session=session)
    if isinstance(listed, Refused):
        words = {"title": page_translator(request)("page.approvals"), "text": listed.message}
        return render_page(request, "notice.html", session=session, status_code=listed.status, **words)
    answer = listed.answer
    selected, exists = await _selected_approval(request, session, id, answer)
    reader = ValueFormatter(
        page_translator(request),
        page_language(request),
        session.time_zone,
        app_of(request).clock(),
        Habits(page_language(request), session.currency, session.country),
    )
    return render_page(
        request,
        "approvals.html",
        session=session,
        status_code=status_code if exists else 404,
        list_query=list_query,
        statuses=APPROVAL_STATUSES,
        listed=[proposal_view(record, session, reader) for record in answer.approvals],
        pages=-(-answer.total // APPROVALS_PER_PAGE),
        total=answer.total,
        state=approvals_state(answer) if list_query == _PENDING_APPROVALS else "",
        chosen=id,
        one=proposal_view(selected, session, reader) if selected else None,
        lacking=missing_scopes(selected, session) if selected else "",
        own_allowed=await _own_allowed(request, session, selected),
        problem=problem,
        said=notice,
    )


async def _selected_approval(
    request: Request, session: WebSession, id: int | None, listed: PendingWriteList
) -> tuple[PendingWrite | None, bool]:
    """Return the shown change and whether it exists; by default the first."""
    if id is None:
        return (listed.approvals[0] if listed.approvals else None), True
    result = await call_with_texts(request, get_pending_approval, {"approval_id": str(id)}, session=session)
    return (None, False) if isinstance(result, Refused) else (result.answer.approval, True)


async def _own_allowed(request: Request, session: WebSession, pending_write: PendingWrite | None) -> bool:
    """Return True if users may approve their own proposals. Read only if it matters."""
    if pending_write is None or not session.office or pending_write.proposed_by != session.user_id:
        return False
    policy = await call_operation(request, get_approval_policy, EmptyRequest(), session=session)
    return not isinstance(policy, Refused) and policy.answer.own_allowed


def _error_text(refused: Refused) -> str:
    field_errors = [f"{error['field']}: {error['message']}" for error in refused.error["errors"]]
    return " ".join([refused.message, *field_errors])
