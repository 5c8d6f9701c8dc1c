"""Errors of alliances: repeated invitations, ended membership, missing grants."""

from typing import Any

from tests.contexts.alliances.makers import make_alliance, make_grant
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Make the rival a current, a former and an invited member of three alliances."""
    joined, left, invited = (
        await make_alliance(app, "rival"),
        await make_alliance(app, "rival"),
        await make_alliance(app),
    )
    await app.answer("rival", "leave_alliance", {"alliance_id": left})
    await app.answer("admin", "invite_alliance_member", {"alliance_id": invited, "business": "rival"})
    ended = await make_grant(app, joined)
    await app.answer("admin", "revoke_tracking_grant", {"grant_id": ended})
    return {"joined": joined, "left": left, "invited": invited, "ended": ended}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    joined, left = {"alliance_id": ids["joined"]}, {"alliance_id": ids["left"]}
    rival, demo, ended = {"business": "rival"}, {"business": "demo"}, {"grant_id": ids["ended"]}
    founder_only = {
        (operation, "ALLIANCE_FOUNDER_ONLY"): ("rival", {**joined, **more})
        for operation, more in (
            ("update_alliance", {}),
            ("end_alliance", {}),
            ("invite_alliance_member", demo),
            ("remove_alliance_member", demo),
        )
    }
    no_member = {
        (operation, "ALLIANCE_NOT_A_MEMBER"): ("rival", {**left, **more})
        for operation, more in (
            ("update_alliance", {}),
            ("end_alliance", {}),
            ("invite_alliance_member", demo),
            ("remove_alliance_member", demo),
            ("list_alliance_members", {}),
            ("grant_tracking", demo),
        )
    }
    grant_ended = {
        (operation, "TRACKING_GRANT_ENDED"): ("admin", ended)
        for operation in (
            "suspend_tracking_grant",
            "resume_tracking_grant",
            "revoke_tracking_grant",
            "update_shared_numbers",
        )
    }
    return {
        **founder_only,
        **no_member,
        **grant_ended,
        ("invite_alliance_member", "ALLIANCE_MEMBER_EXISTS"): ("admin", {**joined, **rival}),
        ("accept_alliance_invitation", "ALLIANCE_NOT_ANSWERABLE"): ("rival", left),
        ("decline_alliance_invitation", "ALLIANCE_NOT_ANSWERABLE"): ("rival", joined),
        ("leave_alliance", "ALLIANCE_NOT_ANSWERABLE"): ("rival", left),
        ("leave_alliance", "ALLIANCE_FOUNDER_STAYS"): ("admin", joined),
        ("remove_alliance_member", "ALLIANCE_FOUNDER_STAYS"): ("admin", {**joined, **demo}),
        ("get_allied_trackings", "TRACKING_NOT_GRANTED"): (
            "rival",
            {"business": "demo", "tracking_numbers": ["HL0000"]},
        ),
    }
