"""Accuracy and speed of label reading.

The set has 240 labels of ten layouts: clean, turned, blurred, folded and shadowed.

    python -m bench.label_parsing [--seed 2] [--each 3] [--faults]

Requires the extra `ocr`.
"""

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.label_pictures import DAMAGES, LAYOUTS, Place, Truth, as_png, make_label, make_truth
from haulier.adapters.picture_reader.pooled_reader import LIMITS
from haulier.adapters.picture_reader.reading import read_picture
from haulier.contexts.shipping.label_parsing.rules.fields import NEEDED, ParsedLabel, parse_label
from haulier.kernel.values.words import fold

SHOWN = (
    "tracking_number", "carrier", "service",
    "consignee.name", "consignee.address", "consignee.city", "consignee.postal_code", "consignee.country",
    "sender.name", "sender.address", "sender.city", "sender.postal_code", "sender.country",
)  # fmt: skip


class Outcome(Struct):
    """Result of one label."""

    layout: str
    damage: str
    wrong: dict[str, tuple[str, str | None]]
    parsed: ParsedLabel
    seconds: float

    @property
    def ready(self) -> bool:
        """Return True if an order could be created correctly without review."""
        return not self.parsed.needs_review and not self.wrong.keys() & set(NEEDED)

    @property
    def silently_wrong(self) -> bool:
        """Return True if a required field is wrong and no review is requested."""
        return not self.parsed.needs_review and bool(self.wrong.keys() & set(NEEDED))


def main() -> None:
    """Print the tables."""
    words = argparse.ArgumentParser()
    words.add_argument("--seed", type=int, default=2)
    words.add_argument("--each", type=int, default=3)
    words.add_argument("--damage", choices=sorted(DAMAGES))
    words.add_argument("--faults", action="store_true")
    asked = words.parse_args()
    console = Console()
    outcomes: list[Outcome] = []
    for outcome in read_labels(asked.seed, asked.each, asked.damage):
        outcomes.append(outcome)
        if asked.faults and outcome.wrong:
            ready = "review" if outcome.parsed.needs_review else "SILENT" if outcome.silently_wrong else "fine"
            console.print(f"{outcome.layout}, {outcome.damage}: {ready} {outcome.wrong}", markup=False, soft_wrap=True)
    console.print(by_damage(outcomes), by_layout(outcomes), by_field(outcomes))
    seconds = sorted(outcome.seconds for outcome in outcomes)
    console.print(f"processor seconds: median {seconds[len(seconds) // 2]:.1f}, longest {seconds[-1]:.1f}")


def read_labels(seed: int, each: int, only: str | None) -> Iterator[Outcome]:
    """Read each layout with each kind of damage several times."""
    chance = random.Random(seed)
    for layout in LAYOUTS:
        for damage, spoil in DAMAGES.items():
            for _ in range(each):
                truth = make_truth(chance)
                file = as_png(spoil(make_label(layout, truth, chance), chance))
                if only in (None, damage):
                    yield _outcome(layout, damage, truth, file)


def _outcome(layout: str, damage: str, truth: Truth, file: bytes) -> Outcome:
    began = time.process_time()
    parsed = parse_label(read_picture(file, "image/png", LIMITS), truth.sender.country)
    seconds = time.process_time() - began
    found = {field.name: field.value for field in parsed.fields}
    wrong = {
        name: (value, found.get(name)) for name, value in _said(truth).items() if _bare(found.get(name)) != _bare(value)
    }
    return Outcome(layout, damage, wrong, parsed, seconds)


def _said(truth: Truth) -> dict[str, str]:
    said = {"tracking_number": truth.number, "carrier": truth.carrier, "service": truth.service}
    for role, place in (("consignee", truth.consignee), ("sender", truth.sender)):
        said |= {f"{role}.{name}": value for name, value in _parts(place).items()}
    return said


def _parts(place: Place) -> dict[str, str]:
    return {
        "name": place.name,
        "address": place.street,
        "city": place.city,
        "postal_code": place.code,
        "country": place.country,
    }


def _bare(text: str | None) -> str:
    """Normalise text for comparison: no case, punctuation, spaces or accents."""
    return re.sub(r"[\W_]", "", fold(text or ""))


def by_damage(outcomes: list[Outcome]) -> Table:
    """Return the results by damage."""
    return _grouped("damage", outcomes)


def by_layout(outcomes: list[Outcome]) -> Table:
    """Return the results by layout."""
    return _grouped("layout", outcomes)


def _grouped(name: str, outcomes: list[Outcome]) -> Table:
    table = Table(
        name, "labels", "correct without review", "review requested", "wrong without review", "fields correct"
    )
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[getattr(outcome, name)].append(outcome)
        groups["all"].append(outcome)
    for group, some in sorted(groups.items(), key=lambda each: each[0] == "all"):
        right = 1 - sum(len(each.wrong) for each in some) / len(some) / len(SHOWN)
        review = sum(each.parsed.needs_review for each in some)
        silent = sum(each.silently_wrong for each in some)
        table.add_row(group, *map(str, (len(some), sum(each.ready for each in some), review, silent)), f"{right:.1%}")
    return table


def by_field(outcomes: list[Outcome]) -> Table:
    """Return how often each field was correct."""
    table = Table("field", "correct")
    wrong = Counter(name for outcome in outcomes for name in outcome.wrong)
    for name in SHOWN:
        table.add_row(name, f"{1 - wrong[name] / len(outcomes):.1%}")
    return table


if __name__ == "__main__":
    main()
