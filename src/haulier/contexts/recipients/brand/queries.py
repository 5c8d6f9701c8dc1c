"""Branding of a business for other families."""

from haulier.contexts.identity.public import require_client
from haulier.contexts.recipients.brand import store
from haulier.contexts.recipients.brand.contract import Brand
from haulier.kernel.call import Call


async def load_brand(call: Call) -> Brand:
    """Return the name and branding of the caller's business."""
    client, row = await require_client(call.work, call.client_id), await store.get_brand_row(call.work)
    names = ("colour", "contact_email", "contact_phone", "website")
    live_map = row.live_map if row else False
    return Brand(name=client.name, live_map=live_map, **{name: getattr(row, name) if row else None for name in names})


async def shows_live_map(call: Call) -> bool:
    """Return True if recipients see their driver on the way."""
    row = await store.get_brand_row(call.work)
    return row.live_map if row else False
