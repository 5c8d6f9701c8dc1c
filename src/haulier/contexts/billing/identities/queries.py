"""Reads of billing identities for other families."""

from haulier.contexts.billing.identities import store
from haulier.contexts.billing.identities.rules import BillingIdentity, address_lines_of, complete_identity
from haulier.contexts.billing.ledger.rules import NOBODY
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork


async def load_parties(call: Call, invoice_id: int, customer_id: int) -> tuple[BillingIdentity, BillingIdentity]:
    """Return seller and buyer of an invoice.

    Values that were not known when it was issued are taken from the current identities.
    """
    issued = await store.get_parties_of_invoice(call.work, invoice_id)
    current = [
        store.identity_of(await store.get_identity_row(call.work, party_id)) for party_id in (NOBODY, customer_id)
    ]
    seller, buyer = (complete_identity(*pair) for pair in zip(issued, current, strict=True))
    return seller, buyer


async def load_seller(call: Call) -> BillingIdentity:
    """Return the identity of the business."""
    return store.identity_of(await store.get_identity_row(call.work, NOBODY))


async def load_seller_address(work: UnitOfWork) -> list[str]:
    """Return the address of the business, one line each. Empty if unknown."""
    return address_lines_of(store.identity_of(await store.get_identity_row(work, NOBODY)))


async def load_printed_lines(
    call: Call, invoice_id: int, customer_id: int, seller_lines: list[str], buyer_lines: list[str]
) -> tuple[list[str], list[str]]:
    """Return the lines below the names of seller and buyer on an invoice.

    Lines of the settings and terms replace the address, and numbers that they state are not repeated.
    """
    seller, buyer = await load_parties(call, invoice_id, customer_id)
    return _printed(call, seller, seller_lines), _printed(call, buyer, buyer_lines)


def _printed(call: Call, identity: BillingIdentity, stated: list[str]) -> list[str]:
    lines = list(stated) or address_lines_of(identity)
    text = "".join(lines).replace(" ", "").upper()
    numbers = (("paper_vat_number", identity.vat_number), ("paper_tax_number", identity.tax_number))
    return lines + [
        call.translate(message, number=number) for message, number in numbers if number and number.upper() not in text
    ]
