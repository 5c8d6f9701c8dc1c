"""The contents of proposals are shown only to callers who could make the call."""

from tests.contexts.control_tower.approvals.makers import THERE, code, make_proposal, make_token
from tests.support.app import App

NAME = "Ada Quill"


async def test_a_token_without_access_to_the_operation_sees_no_contents(app: App) -> None:
    arguments = {"consignee": {**THERE, "name": NAME}}
    made = await make_proposal(app, tool="create_order", arguments=arguments, note=f"for {NAME}")
    assert (made.contents_hidden, made.arguments) == (False, arguments)
    narrow = await make_token(app, "admin", "narrow", scopes=["approvals:read"])
    for operation, values in (("get_pending_approval", {"approval_id": made.id}), ("list_pending_approvals", {})):
        answer = await app.answer(narrow, operation, values)
        (shown,) = getattr(answer, "approvals", None) or [answer.approval]
        assert NAME not in str(shown)
        assert (shown.contents_hidden, shown.arguments, shown.note) == (True, {}, None)
        assert (shown.operation, shown.status, shown.proposed_by) == ("create_order", "pending", app.ids["employee"])
        assert (shown.proposed_by_name, shown.proposed_at) == ("Employee", app.clock.now)
    wide = await make_token(app, "admin", "wide", scopes=["approvals:read", "orders:read", "orders:write"])
    assert (await app.answer(wide, "get_pending_approval", {"approval_id": made.id})).approval.arguments == arguments


async def test_hidden_contents_cannot_be_approved(app: App) -> None:
    made = await make_proposal(app, "admin", tool="set_retention", arguments={"kind": "audit_trail", "days": 90})
    seen = (await app.answer("employee", "list_pending_approvals", {})).approvals
    assert [(one.id, one.contents_hidden) for one in seen] == [(made.id, True)]
    refused = await app.call("employee", "approve_pending_write", {"approval_id": made.id})
    assert code(refused) == (403, "ACCOUNT_NOT_ALLOWED")
