"""The conformance validator: everything that is wrong with a posted timeline at once, and the level that it reaches.

Level 1: universal codes, phases and valid transitions. Level 2: also codes of the timeline's own profile (those of `parcel`
are the universal ones) and at least one projection to an external standard, which only the sender can tell.
"""

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.rules import journeys
from haulier.contexts.tracking.otep.rules.findings import Finding, Severity, found
from haulier.contexts.tracking.otep.rules.parsing import parse
from haulier.contexts.tracking.otep.rules.shapes import well_formed
from haulier.contexts.tracking.otep.vocabulary import PROFILES, UNIVERSAL, resolve

__all__ = ["Report", "parse", "validate"]


class Report(Struct, frozen=True, kw_only=True):
    """What the validator found. `level` is 0, 1 or 2; `shortfalls` are notes that say why it is not higher."""

    level: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    shortfalls: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether the timeline can be taken in."""
        return not self.errors


def validate(document: Any, *, projections: Collection[str] = ()) -> Report:
    """Every error and warning of a parsed JSON document, whatever it is, in the order of the document's parts.

    `projections` names the formats of external standards that the sender also serves. Never raises.
    """
    findings = list(_findings(document))
    errors = tuple(each for each in findings if each.severity is Severity.ERROR)
    shortfalls = tuple(_below_1(document, findings))
    level = 0
    if not shortfalls:
        shortfalls = tuple(_below_2(document, projections))
        level = 1 if shortfalls else 2
    return Report(
        level=level,
        errors=errors,
        warnings=tuple(each for each in findings if each.severity is Severity.WARNING),
        shortfalls=shortfalls,
    )


def _findings(document: Any) -> Iterator[Finding]:
    yield from well_formed(document, "$")
    if not isinstance(document, dict):
        return
    subject, profile, events = document.get("subject"), _profile(document), _events(document)
    if isinstance(subject, dict) and all(subject.get(name) is None for name in journeys.IDENTIFIERS):
        yield found("$.subject", "no_identifier")
    for index, event in enumerate(events):
        if isinstance(event, dict):
            yield from journeys.codes(event, f"$.events[{index}]", profile)
            yield from _position(event, f"$.events[{index}]")
    told = journeys.told(events, profile)
    yield from journeys.clocks(told)
    kept, copies = journeys.first_of_each(told)
    yield from copies
    ordered = journeys.in_time(kept)
    yield from journeys.steps(ordered)
    if len(told) == len(events):
        yield from journeys.summary(document, ordered, profile)


def _profile(document: dict[str, Any]) -> str:
    profile = document.get("profile")
    return profile if isinstance(profile, str) and profile in PROFILES else UNIVERSAL


def _events(document: dict[str, Any]) -> list[Any]:
    events = document.get("events")
    return events if isinstance(events, list) else []


def _position(event: dict[str, Any], path: str) -> Iterator[Finding]:
    location = event.get("location")
    if isinstance(location, dict) and ("lat" in location) is not ("lng" in location):
        yield found(f"{path}.location", "half_position")


def _below_1(document: Any, findings: list[Finding]) -> Iterator[Finding]:
    if any(each.severity is Severity.ERROR for each in findings):
        yield found("$", "has_errors")
        return
    told = journeys.told(_events(document), _profile(document))
    if not told:
        yield found("$.events", "no_events")
    elif not any(resolve(each.row.code, _profile(document)) for each in told):
        yield found("$.events", "no_registered_code")
    if any(each.code == "step_back" for each in findings):
        yield found("$.events", "invalid_transitions")


def _below_2(document: dict[str, Any], projections: Collection[str]) -> Iterator[Finding]:
    profile = _profile(document)
    rows = (resolve(each.row.code, profile) for each in journeys.told(_events(document), profile))
    if not any(row and row.profile == profile for row in rows):
        yield found("$.events", "no_profile_code", profile=profile)
    if not any(name != "otep" for name in projections):
        yield found("$", "no_projection")
