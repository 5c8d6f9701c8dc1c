"""In-memory labels, manifests and pickups of the simulated carriers."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass
class SimulatedLabel:
    """A purchased shipment.

    `numbers` are the tracking numbers of its parcels, `cents` is its price.
    """

    label_id: str
    carrier: str
    account: str
    reference: str
    service: str
    numbers: list[str]
    cents: int
    currency: str
    made_at: datetime
    label_format: str
    recipient: str
    city: str
    region: str
    country: str
    street: str = ""
    postal_code: str = ""
    group: str = ""
    voided: bool = False
    refund_asked: bool = False
    manifest_id: str | None = None
    scans_ahead: int = 0


@dataclass
class SimulatedManifest:
    """The manifest of one day."""

    manifest_id: str
    carrier: str
    account: str
    label_ids: list[str]
    made_at: datetime


@dataclass(frozen=True)
class Scan:
    """A scan of a parcel; `step` is one of `STEPS`."""

    step: str
    at: datetime
    label: SimulatedLabel


STEPS = ("created", "picked_up", "in_transit", "out_for_delivery", "delivered")
HANDED_OVER = "picked_up"


@dataclass
class Book:
    """The state of all carriers.

    A parcel advances every `scan_every_s` seconds, or on request.
    """

    clock: Clock = utc_now
    scan_every_s: float = 3600.0
    labels: dict[str, SimulatedLabel] = field(default_factory=dict[str, SimulatedLabel])
    manifests: dict[str, SimulatedManifest] = field(default_factory=dict[str, SimulatedManifest])
    pickups: dict[str, str] = field(default_factory=dict[str, str])
    """State of each pickup by confirmation number: `booked` or `cancelled`."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_number(self) -> int:
        """Return a unique number."""
        return next(self._numbers)

    def add(self, label: SimulatedLabel) -> SimulatedLabel:
        """Add a purchased label."""
        self.labels[label.label_id] = label
        return label

    def find(self, carrier: str, account: str, reference: str) -> list[SimulatedLabel]:
        """Return the labels with a reference, newest first."""
        own = (label for label in self.labels.values() if (label.carrier, label.account) == (carrier, account))
        return [label for label in own if label.reference == reference][::-1]

    def of_number(self, carrier: str, number: str) -> SimulatedLabel | None:
        """Return the label with a tracking number."""
        return next(
            (label for label in self.labels.values() if label.carrier == carrier and number in label.numbers), None
        )

    def close(self, carrier: str, account: str, labels: Sequence[SimulatedLabel]) -> SimulatedManifest:
        """Close labels in a manifest."""
        manifest = SimulatedManifest(
            f"{self.next_number():010d}", carrier, account, [label.label_id for label in labels], self.clock()
        )
        for label in labels:
            label.manifest_id = manifest.manifest_id
        self.manifests[manifest.manifest_id] = manifest
        return manifest

    def scans(self, label: SimulatedLabel) -> list[Scan]:
        """Return the scans of a label's parcels so far; none after a void."""
        gone_by = (self.clock() - label.made_at).total_seconds() / self.scan_every_s
        done = 1 if label.voided else min(1 + int(gone_by) + label.scans_ahead, len(STEPS))
        every = timedelta(seconds=min(self.scan_every_s, 60.0))
        return [Scan(step, label.made_at + number * every, label) for number, step in enumerate(STEPS[:done])]


def price_cents(base_cents: int, weight_g: float, parcels: int = 1) -> int:
    """Return a fictitious price: a base per parcel, and 90 cents per started kilogram."""
    return base_cents * parcels + 90 * -(-int(weight_g) // 1000)


def amount(cents: int) -> str:
    """Format cents with two decimals."""
    return f"{cents // 100}.{cents % 100:02d}"
