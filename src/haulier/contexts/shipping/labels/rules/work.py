"""The kinds of work on shipments that waits for carriers, and what each is given."""

from msgspec import Struct

SETTLE_PURCHASE_JOB = "shipping.settle_purchase"
SETTLE_VOID_JOB = "shipping.settle_void"
SETTLE_MANIFEST_JOB = "shipping.settle_manifest"
TRACK_JOB = "shipping.track"


class SettleShipment(Struct, frozen=True):
    """Which purchase or void is settled; `round` counts how often the carrier was asked without success."""

    shipment_id: int
    round: int = 0


class SettleManifest(Struct, frozen=True):
    """Which manifest is settled."""

    manifest_id: int
    round: int = 0


class TrackShipment(Struct, frozen=True):
    """Of which shipment scans are asked for."""

    shipment_id: int
