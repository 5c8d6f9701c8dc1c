"""The end of a day: what was bought is put on manifests, and its carriers are told."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.shipping.accounts.contract.accounts import ShippingAddress
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    get_account_of_shipment,
    list_active_accounts,
    open_carrier,
)
from haulier.contexts.shipping.accounts.rules.remarks import make_own_message
from haulier.contexts.shipping.events import ManifestClosed
from haulier.contexts.shipping.labels.actions.carrier_rates import sender_of
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import LEASE, SETTLE_AFTER, is_leased
from haulier.contexts.shipping.labels.rules.rates import party, remark
from haulier.contexts.shipping.labels.rules.work import SETTLE_MANIFEST_JOB, SettleManifest
from haulier.contexts.shipping.labels.store import manifests as store
from haulier.contexts.shipping.labels.store import shipments as shipment_store
from haulier.contexts.shipping.ports import (
    BoughtReference,
    Capability,
    CarrierRefused,
    CarrierUnavailable,
    Manifest,
    OutcomeUnknown,
    Severity,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system

log = logging.getLogger("haulier.shipping")
MOST_ON_A_MANIFEST = 1000
_running: set[asyncio.Task[None]] = set()


class ManifestClaim(Struct, frozen=True):
    """A manifest that this process may ask the carrier about."""

    row: store.ManifestRow
    account: CarrierAccountRow
    currency: str
    shipments: Sequence[store.ManifestedRow]


async def begin_manifests(call: Call, day: date, account_ids: Sequence[int]) -> list[int]:
    """Put what is to be shipped until a day on manifests, at most a thousand on each. Returns their ids."""
    accounts = {row.id: row for row in await list_active_accounts(call.work, account_ids)}
    begun: list[int] = []
    for group in await store.list_open_groups(call.work, day, list(accounts)):
        after = 0
        account = accounts[group.account_id]
        place = await _place_of(call, group.first, account)
        while ids := await store.list_open_ids(
            call.work, day, group.account_id, group.origin, after, MOST_ON_A_MANIFEST
        ):
            after = ids[-1]
            begun.append(await store.insert_manifest(call.work, _new_manifest(call, day, account, place), ids))
    for manifest_id in begun:
        await call.enqueue(SETTLE_MANIFEST_JOB, SettleManifest(manifest_id), run_at=call.now + SETTLE_AFTER)
    return begun


def _new_manifest(call: Call, day: date, account: CarrierAccountRow, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "carrier": account.carrier,
        "ship_date": day,
        "state": "closing",
        "shipments": 0,
        "place": place,
        "created_by": call.actor,
        "created_at": call.now,
    }


async def _place_of(call: Call, shipment_id: int, account: CarrierAccountRow) -> dict[str, Any]:
    """From where a group is sent: that of its first shipment."""
    row = await shipment_store.get_shipment_row(call.work, shipment_id)
    sender = sender_of(ShipmentTerms.model_validate(row.terms), account) if row else None
    return sender.model_dump(mode="json") if sender else {}


async def settle_manifest(app: Application, client_id: int, manifest_id: int) -> None:
    """Tell the carrier what is handed over, and store what it takes. Harmless to repeat, also at the same moment."""
    task = asyncio.create_task(_settle(app, client_id, manifest_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def _settle(app: Application, client_id: int, manifest_id: int) -> None:
    claim = await _take_claim(app, client_id, manifest_id)
    if claim is not None:
        await _store(app, client_id, claim, await _ask(app, claim))


async def _take_claim(app: Application, client_id: int, manifest_id: int) -> ManifestClaim | None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_manifest_row(work, manifest_id, lock=True)
        if row is None or row.state != "closing" or is_leased(row.leased_until, call.now):
            return None
        account = await get_account_of_shipment(work, row.account_id)
        await store.update_manifest_row(work, row.id, {"leased_until": call.now + LEASE})
        return ManifestClaim(row, account, call.business.currency, await store.list_manifested(work, row.id))


async def _ask(app: Application, claim: ManifestClaim) -> Manifest | None:
    """What the carrier took; None where nobody knows yet."""
    bought = [
        BoughtReference(row.carrier_reference or "", (row.tracking_number,) if row.tracking_number else ())
        for row in claim.shipments
    ]
    named = tuple(each.carrier_reference for each in bought)
    try:
        carrier = open_carrier(app, claim.account, claim.currency)
        if Capability.MANIFEST not in carrier.capabilities:
            return Manifest(None, named, {})
        sender = party(ShippingAddress.model_validate(claim.row.place))
        return await carrier.close_day(claim.row.ship_date, sender, bought)
    except CarrierRefused as refusal:
        said = next(iter(refusal.messages), make_own_message("carrier.not_closed", "REFUSED"))
        return Manifest(None, (), dict.fromkeys(named, said))
    except (CarrierUnavailable, OutcomeUnknown) as outage:
        log.warning("manifest %s: %s", claim.row.id, outage)
    except Exception:
        log.exception("manifest %s", claim.row.id)
    return None


async def _store(app: Application, client_id: int, claim: ManifestClaim, taken: Manifest | None) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_manifest_row(work, claim.row.id, lock=True)
        if row is None or row.state != "closing":
            return
        if taken is None:
            await store.update_manifest_row(work, row.id, {"leased_until": None})
            return
        closed = set(taken.closed)
        left = [each for each in claim.shipments if each.carrier_reference not in closed]
        count = len(claim.shipments) - len(left)
        await store.take_off_manifest(work, [each.id for each in left])
        await _note_why(call, left, taken)
        paper = taken.paper
        values = {
            "state": "closed" if count else "failed",
            "shipments": count,
            "leased_until": None,
            "carrier_manifest_id": taken.manifest_id,
            "paper": paper.content if paper else None,
            "paper_type": paper.media_type if paper else None,
            "closed_at": call.now,
        }
        await store.update_manifest_row(work, row.id, values)
        if count:
            await call.publish(ManifestClosed(manifest_id=row.id, carrier=row.carrier, shipments=count))


async def _note_why(call: Call, left: Sequence[store.ManifestedRow], taken: Manifest) -> None:
    """Keep with each shipment that stays open what the carrier says of it."""
    for each in left:
        said = taken.messages.get(each.carrier_reference or "") or make_own_message("carrier.not_closed", "NOT_CLOSED")
        note = remark(msgspec.structs.replace(said, severity=Severity.ERROR), None, None)
        await shipment_store.update_shipment_row(call.work, each.id, {"messages": [msgspec.to_builtins(note)]})
