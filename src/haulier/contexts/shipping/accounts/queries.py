"""Carrier accounts for the other families of shipping."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from haulier.contexts.messaging.public import SecretUnreadable, SecretVault
from haulier.contexts.places.public import get_office_sender
from haulier.contexts.shipping.accounts import store
from haulier.contexts.shipping.accounts.contract import COMPANY_MAX, ShippingAddress
from haulier.contexts.shipping.accounts.rules import CURRENCY, HOUSE, TARIFF, MarkUp, secret_label
from haulier.contexts.shipping.accounts.store import CarrierAccountRow as CarrierAccountRow
from haulier.contexts.shipping.ports import Carrier, CarrierDirectory, CarrierUnavailable
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import record_not_found


async def list_active_accounts(work: UnitOfWork, ids: Collection[int] = ()) -> Sequence[CarrierAccountRow]:
    """Return the active accounts by name, optionally limited to `ids`.

    Raises `NOT_FOUND`.
    """
    rows = await _with_senders(work, [row for row in await store.list_account_rows(work) if row.active])
    if missing := set(ids) - {row.id for row in rows}:
        raise record_not_found(account_id=min(missing))
    return [row for row in rows if not ids or row.id in ids]


async def get_default_account(work: UnitOfWork) -> CarrierAccountRow | None:
    """Return the default account, or the only one, or None."""
    rows = await list_active_accounts(work)
    return next((row for row in rows if row.is_default), rows[0] if len(rows) == 1 else None)


async def get_account_of_shipment(work: UnitOfWork, account_id: int) -> CarrierAccountRow:
    """Return an account, deleted or not, for an earlier purchase. Raises `NOT_FOUND`."""
    row = await store.get_any_account_row(work, account_id)
    if row is None:
        raise record_not_found(account_id=account_id)
    return (await _with_senders(work, [row]))[0]


async def _with_senders(work: UnitOfWork, rows: Sequence[CarrierAccountRow]) -> Sequence[CarrierAccountRow]:
    """Return accounts with the default sender of the address book filled in."""
    if all(row.sender for row in rows) or (book := await get_office_sender(work)) is None:
        return rows
    sender = {name: value for name in ShippingAddress.model_fields if (value := getattr(book, name, None)) is not None}
    sender |= {"company": book.company[:COMPANY_MAX]} if book.company else {}
    return [row if row.sender else _with_sender(row, sender) for row in rows]


def _with_sender(row: Any, sender: dict[str, Any]) -> CarrierAccountRow:
    """Return the row with a sender.

    A row is a named tuple of all columns of its statement.
    """
    return row._replace(sender=sender)


async def get_accounts_by_id(work: UnitOfWork, ids: Collection[int]) -> dict[int, CarrierAccountRow]:
    """Return accounts by ID, also closed ones; unknown IDs are absent."""
    return {row.id: row for row in await store.list_any_account_rows(work, ids)}


def mark_up_of(row: CarrierAccountRow) -> MarkUp:
    """Return the markup of an account."""
    return MarkUp(row.markup_basis_points, row.markup_minor)


def open_carrier(app: Application, row: CarrierAccountRow, currency: str) -> Carrier:
    """Open the carrier of an account. `currency` is the client's.

    Raises `CarrierUnavailable` if its credentials cannot be read, or the carrier is no longer installed.
    """
    try:
        credentials = _credentials(app, row, currency)
        return app.adapter(CarrierDirectory).open(row.carrier, credentials, test_mode=row.test_mode)
    except SecretUnreadable as fault:
        raise CarrierUnavailable(str(fault)) from None
    except KeyError:
        raise CarrierUnavailable(f"no connector for {row.carrier}") from None


def _credentials(app: Application, row: CarrierAccountRow, currency: str) -> dict[str, str]:
    if row.carrier == HOUSE:
        return {CURRENCY: currency, **({TARIFF: row.tariff} if row.tariff else {})}
    if row.sealed_credentials is None:
        return {}
    opened = app.adapter(SecretVault).open(row.sealed_credentials, secret_label(row.client_id, row.carrier))
    return msgspec.json.decode(opened, type=dict[str, str])
