"""The rights of a user without a call of theirs, and the state of the token they once used."""

from sqlalchemy import bindparam, select

from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class AbsentUserRow(Row):
    """A user, with the kind and the end of a token of theirs; both are None without it."""

    id: int
    name: str
    account: str
    active: bool
    hidden_prices: list[str]
    granted: list[str] | None
    kind: str | None
    revoked_at: object


_absent_user = (
    select(
        users.c.id,
        users.c.name,
        users.c.account,
        users.c.active,
        users.c.hidden_prices,
        members.c.scopes.label("granted"),
        tokens.c.kind,
        tokens.c.revoked_at,
    )
    .outerjoin(members, members.c.user_id == users.c.id)
    .outerjoin(tokens, (tokens.c.id == bindparam("token")) & (tokens.c.user_id == users.c.id))
    .where(users.c.id == bindparam("user"))
)


async def get_absent_user(work: UnitOfWork, user_id: int, token_id: int | None) -> AbsentUserRow | None:
    """A user of this client, or None."""
    return await work.first(_absent_user, AbsentUserRow, user=user_id, token=token_id or 0)
