"""The approvals page: writes that wait for a human, each with what it would change, and the word that lets it run or not."""

from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.doors.web.asking import ask, form_of
from haulier.doors.web.following import follow
from haulier.doors.web.proposals import missing, proposal
from haulier.doors.web.readable import Reader
from haulier.doors.web.rendering import page
from haulier.doors.web.session import Session, house_of, signed_in
from haulier.doors.web.signing_in import to_sign_in
from haulier.doors.web.words import language_of, speaker_of
from haulier.kernel.pipeline import Outcome

STATUSES = ("pending", "executed", "rejected", "withdrawn", "expired")
PER_PAGE = 30
CHANNEL = "approvals"
"""Where the database tells of approvals, by the number of the client."""
VERBS = {
    "approve": ("approve_pending_write", ("note", "preview_tag")),
    "reject": ("reject_pending_write", ("reason",)),
    "withdraw": ("withdraw_pending_write", ("reason",)),
    "renew": ("renew_pending_write", ()),
}
"""What a form may ask for: the operation behind it, and which fields of the form it takes."""


class Asked(Struct, frozen=True):
    """Which part of the list is looked at."""

    status: str
    mine: bool
    page: int

    @classmethod
    def by(cls, request: Request) -> "Asked":
        """What the address says, or the first page of those that wait."""
        said = request.query_params
        status, number = said.get("status", ""), said.get("page", "")
        at = min(int(number), 100_000) if number.isascii() and number.isdecimal() and len(number) < 7 else 1
        return cls(status if status in STATUSES else "pending", said.get("mine") == "true", max(1, at))

    @property
    def values(self) -> dict[str, str]:
        """As the operation is asked."""
        return {
            "status": self.status,
            "mine": str(self.mine).lower(),
            "page": str(self.page),
            "per_page": str(PER_PAGE),
        }

    def query(self, status: str = "", page: int = 0, mine: bool | None = None) -> str:
        """The address's query, with what differs."""
        status, page, mine = status or self.status, page or self.page, self.mine if mine is None else mine
        said = {"status": status * (status != "pending"), "mine": "true" * mine, "page": str(page) * (page > 1)}
        kept = urlencode({name: value for name, value in said.items() if value})
        return f"?{kept}" if kept else ""


def approval_pages() -> list[BaseRoute]:
    """`/mcp-approvals` and what belongs to it."""
    return [
        Route("/mcp-approvals", everything, methods=["GET"]),
        Route("/mcp-approvals/stream", stream, methods=["GET"]),
        Route("/mcp-approvals/{approval_id:int}", one, methods=["GET"]),
        Route("/mcp-approvals/{approval_id:int}/{verb}", decide, methods=["POST"]),
    ]


async def everything(request: Request) -> Response:
    """The list, beside the first of it."""
    session = await signed_in(request)
    return await _desk(request, session, None) if session else to_sign_in(request)


async def one(request: Request) -> Response:
    """One proposed write, beside the list."""
    session = await signed_in(request)
    return await _desk(request, session, request.path_params["approval_id"]) if session else to_sign_in(request)


async def decide(request: Request) -> Response:
    """Approve, reject, withdraw, or rehearse anew; then look at what became of it."""
    session, id, verb = await signed_in(request), request.path_params["approval_id"], request.path_params["verb"]
    if session is None:
        return RedirectResponse(f"/sign-in?next=/mcp-approvals/{id}", 303)
    form = await form_of(request)
    if verb not in VERBS or not session.checked(request, form):
        problem = speaker_of(request)("sign_in.again")
        return await _desk(request, session, id, status_code=403, problem=problem)
    operation, fields = VERBS[verb]
    said = form.get("note", "").strip()
    given = {"note": said, "reason": said, "preview_tag": form.get("preview_tag", "")}
    values = {name: given[name] for name in fields if given[name]}
    outcome = await ask(request, operation, {"approval_id": str(id), **values}, session=session)
    if outcome.error is not None:
        problem = _problem(outcome)
        return await _desk(request, session, id, status_code=outcome.status, problem=problem, said=said)
    return RedirectResponse(f"/mcp-approvals/{id}", 303)


async def stream(request: Request) -> Response:
    """Server-sent events: a new state of the list, whenever it changes."""
    session = await signed_in(request)
    if session is None:
        return Response(status_code=401)

    async def state() -> str | None:
        listed = await ask(request, "list_pending_approvals", _WAITING.values, session=session)
        return state_of(listed.answer) if listed.error is None else None

    return await follow(house_of(request), CHANNEL, str(session.client_id), state)


_WAITING = Asked("pending", mine=False, page=1)


def state_of(listed: Any) -> str:
    """What tells whether a list is still the same."""
    return f"{listed.total}:" + ",".join(f"{each.id}.{each.preview.tag}" for each in listed.approvals)


async def _desk(
    request: Request, session: Session, id: int | None, *, status_code: int = 200, problem: str = "", said: str = ""
) -> Response:
    asked = Asked.by(request)
    listed = await ask(request, "list_pending_approvals", asked.values, session=session)
    if listed.error is not None:
        text = listed.error["message"]
        return page(request, "notice.html", session=session, status_code=listed.status, title="—", text=text)
    answer: Any = listed.answer
    shown, found = await _shown(request, session, id, answer)
    reader = Reader(speaker_of(request), language_of(request), session.time_zone, house_of(request).clock())
    return page(
        request,
        "approvals.html",
        session=session,
        status_code=status_code if found else 404,
        asked=asked,
        statuses=STATUSES,
        listed=[proposal(record, session, reader) for record in answer.approvals],
        pages=-(-answer.total // PER_PAGE),
        total=answer.total,
        state=state_of(answer) if asked == _WAITING else "",
        chosen=id,
        one=proposal(shown, session, reader) if shown else None,
        lacking=missing(shown, session) if shown else "",
        own_allowed=await _own_allowed(request, session, shown),
        problem=problem,
        said=said,
    )


async def _shown(request: Request, session: Session, id: int | None, listed: Any) -> tuple[Any, bool]:
    """The write that is looked at, and whether it is there: the first of the list where none was asked for."""
    if id is None:
        return (listed.approvals[0] if listed.approvals else None), True
    outcome = await ask(request, "get_pending_approval", {"approval_id": str(id)}, session=session)
    answer: Any = outcome.answer
    return (answer.approval, True) if outcome.error is None else (None, False)


async def _own_allowed(request: Request, session: Session, shown: Any) -> bool:
    """Whether the client lets people approve what they proposed themselves; asked only where it matters."""
    if shown is None or not session.office or shown.proposed_by != session.user_id:
        return False
    policy: Any = (await ask(request, "get_approval_policy", session=session)).answer
    return bool(policy and policy.own_allowed)


def _problem(outcome: Outcome) -> str:
    error = outcome.error or {}
    faults = [f"{fault['field']}: {fault['message']}" for fault in error["errors"]]
    return " ".join([error["message"], *faults])
