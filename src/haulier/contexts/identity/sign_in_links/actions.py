"""Creating, listing and revoking sign-in links, for other operations."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts.queries import UserRow, require_user_grantable
from haulier.contexts.identity.sign_in_links import store
from haulier.contexts.identity.sign_in_links.store import SignInLinkRow
from haulier.kernel.call import Call
from haulier.kernel.values.ids import hash_token, make_opaque_token

TOKEN_PREFIX = "hlsignin"
PAGE = "/sign-in-link"


class MadeSignInLink(Struct, frozen=True):
    """A new link. Its address is known only now."""

    link: SignInLinkRow
    address: str


async def make_sign_in_link(call: Call, user: UserRow, lifetime: timedelta) -> MadeSignInLink:
    """Create a link for a user with no more rights than the caller. Unused ones end.

    The caller locks the user's record, so that of two concurrent calls only one leaves a link. The token is in the
    fragment of the address, which browsers do not send. Raises `SCOPES_EXCEEDED`.
    """
    await require_user_grantable(call, user)
    await store.revoke_link_rows(call.work, user.id, call.now)
    token = make_opaque_token(TOKEN_PREFIX)
    link_id = await store.insert_sign_in_link(
        call.work,
        user_id=user.id,
        token_sha256=hash_token(token),
        made_by=call.actor,
        created_at=call.now,
        expires_at=call.now + lifetime,
    )
    call.add_audit_subjects("user", user.id)
    link = await store.get_sign_in_link(call.work, user.id, link_id)
    assert link is not None  # it was just written
    return MadeSignInLink(link, f"{call.app.base_url}{PAGE}#{token}")


async def list_sign_in_links(
    call: Call, user_id: int, *, limit: int, offset: int
) -> tuple[Sequence[SignInLinkRow], int]:
    """Return a page of a user's links, newest first, and the total."""
    return await store.list_link_rows(call.work, user_id, limit=limit, offset=offset)


async def revoke_sign_in_link(call: Call, user_id: int, link_id: int) -> SignInLinkRow | None:
    """Revoke a link of a user and return it, or None if unknown.

    Used and revoked links are unchanged.
    """
    await store.revoke_link_row(call.work, user_id, link_id, call.now)
    call.add_audit_subjects("user", user_id)
    return await store.get_sign_in_link(call.work, user_id, link_id)
