"""The approvals page: writes that wait for a human, each with what it would change, and the word that lets it run or not."""

from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.pipeline.result import OperationResult
from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import call_operation, read_form
from haulier.web.pages.approval_view import missing_scopes, proposal_view
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.pages.value_formatter import ValueFormatter
from haulier.web.rendering import render_page
from haulier.web.session import WebSession, app_of, current_session
from haulier.web.sse import stream_states

APPROVAL_STATUSES = ("pending", "executed", "rejected", "withdrawn", "expired")
APPROVALS_PER_PAGE = 30
APPROVALS_CHANNEL = "approvals"
"""Where the database tells of approvals, by the number of the client."""
DECISIONS = {
    "approve": ("approve_pending_write", ("note", "preview_tag")),
    "reject": ("reject_pending_write", ("reason",)),
    "withdraw": ("withdraw_pending_write", ("reason",)),
    "renew": ("renew_pending_write", ()),
}
"""What a form may ask for: the operation behind it, and which fields of the form it takes."""


class ApprovalListQuery(Struct, frozen=True):
    """Which part of the list is looked at."""

    status: str
    mine: bool
    page: int

    @classmethod
    def from_request(cls, request: Request) -> "ApprovalListQuery":
        """What the address says, or the first page of those that wait."""
        said = request.query_params
        status, number = said.get("status", ""), said.get("page", "")
        at = min(int(number), 100_000) if number.isascii() and number.isdecimal() and len(number) < 7 else 1
        return cls(status if status in APPROVAL_STATUSES else "pending", said.get("mine") == "true", max(1, at))

    @property
    def values(self) -> dict[str, str]:
        """As the operation is asked."""
        return {
            "status": self.status,
            "mine": str(self.mine).lower(),
            "page": str(self.page),
            "per_page": str(APPROVALS_PER_PAGE),
        }

    def query(self, status: str = "", page: int = 0, mine: bool | None = None) -> str:
        """The address's query, with what differs."""
        status, page, mine = status or self.status, page or self.page, self.mine if mine is None else mine
        said = {"status": status * (status != "pending"), "mine": "true" * mine, "page": str(page) * (page > 1)}
        kept = urlencode({name: value for name, value in said.items() if value})
        return f"?{kept}" if kept else ""


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
    """Approve, reject, withdraw, or rehearse anew; then look at what became of it."""
    session, id, verb = await current_session(request), request.path_params["approval_id"], request.path_params["verb"]
    if session is None:
        return RedirectResponse(f"/sign-in?next=/mcp-approvals/{id}", 303)
    form = await read_form(request)
    if verb not in DECISIONS or not session.is_genuine_form(request, form):
        problem = page_translator(request)("sign_in.again")
        return await _approvals_page(request, session, id, status_code=403, problem=problem)
    operation, fields = DECISIONS[verb]
    said = form.get("note", "").strip()
    given = {"note": said, "reason": said, "preview_tag": form.get("preview_tag", "")}
    values = {name: given[name] for name in fields if given[name]}
    outcome = await call_operation(request, operation, {"approval_id": str(id), **values}, session=session)
    if outcome.error is not None:
        problem = _error_text(outcome)
        return await _approvals_page(request, session, id, status_code=outcome.status, problem=problem, said=said)
    return RedirectResponse(f"/mcp-approvals/{id}", 303)


async def approvals_stream(request: Request) -> Response:
    """Server-sent events: a new state of the list, whenever it changes."""
    session = await current_session(request)
    if session is None:
        return Response(status_code=401)

    async def state() -> str | None:
        listed = await call_operation(request, "list_pending_approvals", _PENDING_APPROVALS.values, session=session)
        return approvals_state(listed.answer) if listed.error is None else None

    return await stream_states(app_of(request), APPROVALS_CHANNEL, str(session.client_id), state)


_PENDING_APPROVALS = ApprovalListQuery("pending", mine=False, page=1)


def approvals_state(listed: Any) -> str:
    """What tells whether a list is still the same."""
    return f"{listed.total}:" + ",".join(f"{each.id}.{each.preview.tag}" for each in listed.approvals)


async def _approvals_page(
    request: Request, session: WebSession, id: int | None, *, status_code: int = 200, problem: str = "", said: str = ""
) -> Response:
    list_query = ApprovalListQuery.from_request(request)
    listed = await call_operation(request, "list_pending_approvals", list_query.values, session=session)
    if listed.error is not None:
        text = listed.error["message"]
        return render_page(request, "notice.html", session=session, status_code=listed.status, title="—", text=text)
    answer: Any = listed.answer
    shown, found = await _selected_approval(request, session, id, answer)
    reader = ValueFormatter(
        page_translator(request), page_language(request), session.time_zone, app_of(request).clock()
    )
    return render_page(
        request,
        "approvals.html",
        session=session,
        status_code=status_code if found else 404,
        list_query=list_query,
        statuses=APPROVAL_STATUSES,
        listed=[proposal_view(record, session, reader) for record in answer.approvals],
        pages=-(-answer.total // APPROVALS_PER_PAGE),
        total=answer.total,
        state=approvals_state(answer) if list_query == _PENDING_APPROVALS else "",
        chosen=id,
        one=proposal_view(shown, session, reader) if shown else None,
        lacking=missing_scopes(shown, session) if shown else "",
        own_allowed=await _own_allowed(request, session, shown),
        problem=problem,
        said=said,
    )


async def _selected_approval(request: Request, session: WebSession, id: int | None, listed: Any) -> tuple[Any, bool]:
    """The write that is looked at, and whether it is there: the first of the list where none was asked for."""
    if id is None:
        return (listed.approvals[0] if listed.approvals else None), True
    outcome = await call_operation(request, "get_pending_approval", {"approval_id": str(id)}, session=session)
    answer: Any = outcome.answer
    return (answer.approval, True) if outcome.error is None else (None, False)


async def _own_allowed(request: Request, session: WebSession, shown: Any) -> bool:
    """Whether the client lets people approve what they proposed themselves; asked only where it matters."""
    if shown is None or not session.office or shown.proposed_by != session.user_id:
        return False
    policy: Any = (await call_operation(request, "get_approval_policy", session=session)).answer
    return bool(policy and policy.own_allowed)


def _error_text(outcome: OperationResult) -> str:
    error = outcome.error or {}
    faults = [f"{fault['field']}: {fault['message']}" for fault in error["errors"]]
    return " ".join([error["message"], *faults])
