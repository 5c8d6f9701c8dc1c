"""Purchases, voids and manifests are settled by jobs, too: whoever asked may be gone, and an answer may have been lost."""

from haulier.contexts.shipping.labels.actions.handover import settle_manifest
from haulier.contexts.shipping.labels.actions.purchases import settle_purchase
from haulier.contexts.shipping.labels.actions.voids import settle_void
from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState, settle_pause
from haulier.contexts.shipping.labels.rules.work import (
    SETTLE_MANIFEST_JOB,
    SETTLE_PURCHASE_JOB,
    SETTLE_VOID_JOB,
    SettleManifest,
    SettleShipment,
)
from haulier.contexts.shipping.labels.store import manifests as manifest_store
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

LANE = "outside"


@job(SETTLE_PURCHASE_JOB, SettleShipment, lane=LANE)
async def settle_claimed_purchase(run: JobRun, args: SettleShipment) -> None:
    """Settle a purchase that nobody settled yet; once more later, as long as nobody knows what came of it."""
    await settle_purchase(run.app, _client(run), args.shipment_id)
    await _again(run, SETTLE_PURCHASE_JOB, args, ShipmentState.PURCHASE_UNKNOWN)


@job(SETTLE_VOID_JOB, SettleShipment, lane=LANE)
async def settle_asked_void(run: JobRun, args: SettleShipment) -> None:
    """Ask what became of a void; once more later, as long as the carrier has not decided."""
    await settle_void(run.app, _client(run), args.shipment_id)
    await _again(run, SETTLE_VOID_JOB, args, ShipmentState.VOID_PENDING)


@job(SETTLE_MANIFEST_JOB, SettleManifest, lane=LANE)
async def settle_begun_manifest(run: JobRun, args: SettleManifest) -> None:
    """Close a manifest that nobody closed yet."""
    await settle_manifest(run.app, _client(run), args.manifest_id)
    async with run.call() as call:
        row = await manifest_store.get_manifest_row(call.work, args.manifest_id)
        if row is not None and row.state == "closing":
            following = SettleManifest(row.id, args.round + 1)
            await call.enqueue(SETTLE_MANIFEST_JOB, following, run_at=call.now + settle_pause(args.round))


async def _again(run: JobRun, kind: str, args: SettleShipment, waiting: ShipmentState) -> None:
    async with run.call() as call:
        row = await store.get_shipment_row(call.work, args.shipment_id)
        if row is not None and row.state == waiting:
            following = SettleShipment(row.id, args.round + 1)
            await call.enqueue(kind, following, run_at=call.now + settle_pause(args.round))


def _client(run: JobRun) -> int:
    if run.client_id is None:
        raise ValueError("a shipment belongs to a client")
    return run.client_id
