"""Errors of approvals: invalid, decided and expired proposals, and own proposals."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order


async def scene(app: App) -> dict[str, Any]:
    """Create an expired proposal, a rejected one, and one by the admin."""
    order = await make_order(app)
    asked = {"tool": "hold_order", "arguments": {"order_id": order}}
    ids = {"late": (await app.answer("employee", "propose_write", asked)).approval.id}
    app.clock.forward(days=30)
    token = await app.answer("employee", "issue_api_token", {"name": "agent", "profile": "full"})
    app.tokens["agent"] = token.access_token
    for name, who in (("decided", "employee"), ("own", "admin"), ("open", "employee"), ("orphan", "agent")):
        ids[name] = (await app.answer(who, "propose_write", asked)).approval.id
    await app.answer("employee", "revoke_api_token", {"token_id": token.id})
    await app.answer("admin", "reject_pending_write", {"approval_id": ids["decided"]})
    return ids


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    late, decided, own, orphan = ({"approval_id": ids[name]} for name in ("late", "decided", "own", "orphan"))
    return {
        **{
            (name, code): ("employee", which)
            for name in ("renew_pending_write", "withdraw_pending_write")
            for code, which in (("APPROVAL_EXPIRED", late), ("APPROVAL_DECIDED", decided))
        },
        ("renew_pending_write", "APPROVAL_PROPOSER_MAY_NOT"): ("admin", orphan),
        ("approve_pending_write", "APPROVAL_PROPOSER_MAY_NOT"): ("admin", orphan),
        ("approve_pending_write", "APPROVAL_PREVIEW_CHANGED"): (
            "admin",
            {"approval_id": ids["open"], "preview_tag": "another"},
        ),
        ("propose_write", "UNKNOWN_OPERATION"): ("admin", {"tool": "nothing"}),
        ("propose_write", "APPROVAL_NOT_A_WRITE"): ("admin", {"tool": "get_orders"}),
        ("propose_write", "APPROVAL_CANNOT_WAIT"): ("admin", {"tool": "issue_api_token"}),
        ("approve_pending_write", "APPROVAL_EXPIRED"): ("admin", late),
        ("reject_pending_write", "APPROVAL_EXPIRED"): ("admin", late),
        ("approve_pending_write", "APPROVAL_DECIDED"): ("admin", decided),
        ("reject_pending_write", "APPROVAL_DECIDED"): ("admin", decided),
        ("approve_pending_write", "APPROVAL_OWN"): ("admin", own),
    }
