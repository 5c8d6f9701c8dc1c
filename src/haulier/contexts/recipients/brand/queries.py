"""Branding of a business for other families."""

from haulier.contexts.billing.public import load_seller_address
from haulier.contexts.identity.public import require_client
from haulier.contexts.recipients.brand import store
from haulier.contexts.recipients.brand.contract import Brand
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.rendering.mail import DEFAULT_COLOUR, MailBrand


async def load_brand(call: Call) -> Brand:
    """Return the name and branding of the caller's business."""
    client, row = await require_client(call.work, call.client_id), await store.get_brand_row(call.work)
    names = ("colour", "contact_email", "contact_phone", "website")
    live_map = row.live_map if row else False
    return Brand(name=client.name, live_map=live_map, **{name: getattr(row, name) if row else None for name in names})


async def load_mail_brand(work: UnitOfWork, client_id: int) -> MailBrand:
    """Return the name, colour, address and contacts of a business in emails."""
    client, row = await require_client(work, client_id), await store.get_brand_row(work)
    contacts = [(line, "") for line in await load_seller_address(work)]
    if row and row.contact_phone:
        contacts.append((row.contact_phone, f"tel:{row.contact_phone.replace(' ', '')}"))
    if row and row.contact_email:
        contacts.append((row.contact_email, f"mailto:{row.contact_email}"))
    if row and row.website:
        contacts.append((row.website.removeprefix("https://"), row.website))
    return MailBrand(name=client.name, colour=(row.colour if row else None) or DEFAULT_COLOUR, contacts=contacts)


async def shows_live_map(call: Call) -> bool:
    """Return True if recipients see their driver on the way."""
    row = await store.get_brand_row(call.work)
    return row.live_map if row else False
