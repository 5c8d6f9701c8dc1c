"""Push events: as native timelines, or as EPCIS documents."""

from collections import Counter
from collections.abc import Iterator

from haulier.contexts.tracking.inbound.contract import (
    Counts,
    Ingested,
    IngestEpcis,
    IngestTimelines,
    OnError,
    Receipt,
    WhyRefused,
)
from haulier.contexts.tracking.inbound.deciding import Decision, Entry, decide
from haulier.contexts.tracking.inbound.keeping import keep
from haulier.contexts.tracking.inbound.rules import claims
from haulier.contexts.tracking.inbound.rules.epcis import NO_EVENTS, NOT_EPCIS, read_epcis
from haulier.contexts.tracking.inbound.rules.epcis_xml import DECLARES, MALFORMED_XML, read_xml
from haulier.contexts.tracking.inbound.rules.fates import Fate
from haulier.contexts.tracking.inbound.rules.json_text import (
    KEY_TWICE,
    MALFORMED,
    NOT_UTF8,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
    read_json,
)
from haulier.contexts.tracking.inbound.rules.native import NOT_A_TIMELINE, read_native
from haulier.contexts.tracking.inbound.rules.told import TOO_MANY_EVENTS, Reading, Reason
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import Fault, problem
from haulier.kernel.operation import Limit, Rest, writes
from haulier.kernel.principal import Mandate, Principal

INGEST_REFUSED = problem("ingest_refused", 422)
PROVIDER_KEY_NEEDED = problem("provider_key_needed", 403)

BODY_LIMIT_BYTES = 10_485_760
PROVIDERS = frozenset({Account.PROVIDER})
BEHAVIOUR = {"on_error": "GS1-Capture-Error-Behaviour"}
UNREADABLE = (MALFORMED, NOT_UTF8, TOO_DEEP, KEY_TWICE, NUMBER_TOO_LONG, TOO_COMPLEX, TOO_MANY_EVENTS)


def _enter(doorstep: Doorstep) -> Mandate:
    """What the provider is let in for. Counts the call before its document is read."""
    mandate = _mandate(doorstep.principal)
    limit = Limit(mandate.per_minute, 60, ("key",))
    doorstep.house.throttle.pass_or_refuse("ingest", (limit,), lambda _: doorstep.principal.token_id)
    return mandate


def _mandate(principal: Principal) -> Mandate:
    if principal.mandate is None:
        raise PROVIDER_KEY_NEEDED()
    return principal.mandate


async def read_timelines(doorstep: Doorstep, request: IngestTimelines) -> Reading:
    """Read a native document before the database's writer is held."""
    _enter(doorstep)
    return read_native(read_json(request.document))


async def read_epcis_document(doorstep: Doorstep, request: IngestEpcis) -> Reading:
    """Read an EPCIS document before the database's writer is held."""
    source = claims.speaker(_enter(doorstep), doorstep.principal.name or "")
    read = read_xml if request.content_type.endswith("xml") else read_json
    return read_epcis(read(request.document), source)


@writes(
    "ingest_timelines",
    audience=PROVIDERS,
    scopes={Scope.TRACKING_WRITE},
    doors=(Rest("POST", "/v1/otep/ingest", headers=BEHAVIOUR),),
    prepare=read_timelines,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(NOT_A_TIMELINE, INGEST_REFUSED, PROVIDER_KEY_NEEDED, *UNREADABLE),
)
async def ingest_timelines(call: Call, request: IngestTimelines) -> Ingested:
    """Push events as native timelines; at most 1,000 in a call. Needs a provider's key.

    Each event is written into the timeline of its shipment, wherever in time it belongs, and the answer says of each what
    became of it. A timeline with a `current_status` and no events tells a status that was seen: one event for each change.
    An entry of `voided` takes an event back.
    """
    return await _ingest(call, call.prepared, request.on_error)


@writes(
    "ingest_epcis",
    audience=PROVIDERS,
    scopes={Scope.TRACKING_WRITE},
    doors=(Rest("POST", "/v1/otep/ingest/epcis", headers=BEHAVIOUR),),
    prepare=read_epcis_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(NOT_EPCIS, NO_EVENTS, MALFORMED_XML, DECLARES, INGEST_REFUSED, PROVIDER_KEY_NEEDED, *UNREADABLE),
)
async def ingest_epcis(call: Call, request: IngestEpcis) -> Ingested:
    """Push events as an EPCIS document: 2.0 in JSON, 1.2 or 2.0 in XML; at most 1,000 in a call. Needs a provider's key.

    An event stands in the timeline of each thing that it names singly. An error declaration takes the event back under its
    `eventID`. Nothing is taken when one event is refused, unless `GS1-Capture-Error-Behaviour: proceed` is sent.
    """
    return await _ingest(call, call.prepared, request.on_error)


async def _ingest(call: Call, reading: Reading, on_error: OnError) -> Ingested:
    decision = await decide(call, reading, _mandate(call.principal))
    behaviour: OnError = "proceed" if (reading.on_error or on_error) == "proceed" else "rollback"
    if decision.refused and behaviour == "rollback":
        reasons = [reason for path in reading.paths for reason in decision.refused.get(path, ())]
        faults = (Fault(reason.path, reason.message, reason.params) for reason in reasons)
        raise INGEST_REFUSED.at(*faults, refused=len(decision.refused), events=len(reading.paths))
    await keep(call, decision)
    call.concerns("provider_key", call.principal.token_id or 0)
    receipts = list(_receipts(call, reading, decision))
    counted = Counter(receipt.fate for receipt in receipts)
    counts = Counts(**{fate.value: counted[fate] for fate in Fate})
    return Ingested(on_error=behaviour, counts=counts, receipts=receipts)


def _receipts(call: Call, reading: Reading, decision: Decision) -> Iterator[Receipt]:
    """One for each event, in the document's order."""
    by_path: dict[str, list[Entry]] = {}
    for entry in decision.entries:
        by_path.setdefault(entry.path, []).append(entry)
    for path in reading.paths:
        if path in decision.refused:
            reasons = [_why(call, reason) for reason in decision.refused[path]]
            yield Receipt(path=path, fate=Fate.REFUSED, reasons=reasons)
            continue
        entries = by_path[path]
        met = {entry.fate for entry in entries}
        yield Receipt(
            path=path,
            fate=next(fate for fate in (Fate.CORRECTED, Fate.ACCEPTED, Fate.DUPLICATE) if fate in met),
            tracking_numbers=[entry.place.number for entry in entries],
            event_ids=[entry.event.event_id for entry in entries],
        )


def _why(call: Call, reason: Reason) -> WhyRefused:
    code = reason.message.rpartition(".")[2].upper()  # as in the body of an error, so that both are read alike
    return WhyRefused(path=reason.path, code=code, message=call.say(reason.message, **reason.params))
