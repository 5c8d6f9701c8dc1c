"""Tokens, for the families that list and look them up."""

from collections.abc import Sequence
from datetime import datetime

from haulier.contexts.identity.accounts.rules.tokens import TokenFilter
from haulier.contexts.identity.accounts.store import tokens as store
from haulier.contexts.identity.accounts.store.token_search import TokenListRow, list_token_rows
from haulier.contexts.identity.accounts.store.tokens import TokenRow
from haulier.kernel.data.unit_of_work import UnitOfWork


async def find_token(work: UnitOfWork, token_id: int) -> TokenRow | None:
    """A token of the client with the account of its bearer, or None."""
    return await store.get_token(work, token_id)


async def find_tokens(
    work: UnitOfWork, token_filter: TokenFilter, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[TokenListRow], int]:
    """A page of the client's tokens, newest first, and how many match in all."""
    return await list_token_rows(work, token_filter, now, limit=limit, offset=offset)
