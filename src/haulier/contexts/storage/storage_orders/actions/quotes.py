"""Prices are kept with an id, and honoured as long as they said."""

from datetime import datetime

from msgspec import Struct, to_builtins

from haulier.contexts.storage.storage_orders.contract.orders import QuoteStorageOrder, StorageWish
from haulier.contexts.storage.storage_orders.queries.tariffs import PricedWish, price_wish
from haulier.contexts.storage.storage_orders.rules.lifecycle import QUOTE_LIFE, STORAGE_QUOTE_EXPIRED
from haulier.contexts.storage.storage_orders.store.quotes import StorageQuoteRow
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.request_context import RequestContext

NOT_KEPT = 0


class KeptStorageQuote(Struct, frozen=True, kw_only=True):
    """A price that was kept."""

    id: int
    priced: PricedWish
    expires_at: datetime


async def quote_wish(context: RequestContext, request: QuoteStorageOrder) -> KeptStorageQuote:
    """Price a wish and keep the price, save in a rehearsal. Before a unit of work is open: a read writes nothing in its own."""
    app, principal = context.app, context.principal
    async with app.database.write(principal.client_id) as work:
        call = call_as(app, principal, work, language=context.language)
        priced = await price_wish(call, request)
        expires_at = call.now + QUOTE_LIFE
        if context.dry_run:
            return KeptStorageQuote(id=NOT_KEPT, priced=priced, expires_at=expires_at)
        return KeptStorageQuote(id=await _keep(call, priced, expires_at), priced=priced, expires_at=expires_at)


async def _keep(call: Call, priced: PricedWish, expires_at: datetime) -> int:
    return await StorageQuoteRow.insert(
        call.work,
        customer_id=call.actor or 0,
        service_code=priced.service.service_code,
        service_name=priced.service.name,
        wish=priced.wish.model_dump(mode="json"),
        terms=to_builtins(priced.terms),
        price_minor=priced.price_minor,
        created_at=call.now,
        expires_at=expires_at,
    )


async def get_own_quote(call: Call, quote_id: int) -> StorageQuoteRow:
    """A price that the caller was told. Raises `NOT_FOUND`."""
    row = await StorageQuoteRow.get(call.work, quote_id)
    if row is None or row.customer_id != call.actor:
        raise record_not_found(quote_id=quote_id)
    return row


def require_in_force(call: Call, row: StorageQuoteRow) -> StorageWish:
    """What was quoted. Raises `STORAGE_QUOTE_EXPIRED`."""
    if row.expires_at <= call.now:
        raise STORAGE_QUOTE_EXPIRED()
    return StorageWish.model_validate(row.wish)
