"""What others may ask of tracking.

Contexts write down what happened, in the caller's own transaction; the command line validates and projects timelines.
"""

from haulier.contexts.tracking.inbound.carriage import entrust
from haulier.contexts.tracking.otep.carriers import carriers_page
from haulier.contexts.tracking.otep.model import Actor, IncidentReason, Location, ProofOfDelivery, Source
from haulier.contexts.tracking.otep.projections import FORMATS
from haulier.contexts.tracking.otep.rules.validate import parse, validate
from haulier.contexts.tracking.otep.vocabulary import INCIDENT_REASONS
from haulier.contexts.tracking.protocol.reference import reference
from haulier.contexts.tracking.protocol.wording import conformance
from haulier.contexts.tracking.providers.issuing import IssuedKey
from haulier.contexts.tracking.providers.issuing import issue as issue_provider_key
from haulier.contexts.tracking.timelines.recording import Happening, link, record, set_viewers

__all__ = [
    "FORMATS",
    "INCIDENT_REASONS",
    "Actor",
    "Happening",
    "IncidentReason",
    "IssuedKey",
    "Location",
    "ProofOfDelivery",
    "Source",
    "carriers_page",
    "conformance",
    "entrust",
    "issue_provider_key",
    "link",
    "parse",
    "record",
    "reference",
    "set_viewers",
    "validate",
]
