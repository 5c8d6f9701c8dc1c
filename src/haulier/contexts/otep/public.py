"""The interface of the tracking protocol for other contexts: its records, its vocabulary, its rules and its formats.

Nothing here knows a database, so that rules and contracts of higher floors may import it.
"""

from haulier.contexts.otep.carriers import (
    CarrierScan,
    CarrierScanForm,
    TranslatedStatus,
    carriers_page,
    first_text,
    join_codes,
    read_scans,
    scan_forms,
    scan_id,
    text_at,
    translate_status,
)
from haulier.contexts.otep.projections import FORMATS, NATIVE_FORMAT, FormatName
from haulier.contexts.otep.protocol.serializers.localization import localize_report
from haulier.contexts.otep.protocol.serializers.reference_page import reference_page
from haulier.contexts.otep.timeline.contract import (
    OTEP_VERSION,
    Correction,
    DeliveryOutcome,
    EventActor,
    IncidentReason,
    Location,
    OutcomePieces,
    ProofOfDelivery,
    Source,
    Subject,
    Timeline,
    TrackingEvent,
    UndeliveredPiece,
)
from haulier.contexts.otep.timeline.rules.event_order import recorded_order_key, status_order_key, timeline_order_key
from haulier.contexts.otep.timeline.rules.merge import build_timeline, merge_events, synthesise_event
from haulier.contexts.otep.timeline.rules.outcomes import HandedTo, build_outcome, describe_outcome, public_outcome
from haulier.contexts.otep.timeline.rules.parser import parse_timeline
from haulier.contexts.otep.timeline.rules.posted_forms import (
    is_single_event,
    plain_event,
    plain_timestamp,
    plain_voided,
    timeline_of_event,
)
from haulier.contexts.otep.timeline.rules.precomputed_timeline import assemble_public_timeline, is_precomputable
from haulier.contexts.otep.timeline.rules.public_view import (
    DescribeStatus,
    describe_event,
    public_view,
    split_public_fields,
)
from haulier.contexts.otep.timeline.rules.transitions import status_code_row
from haulier.contexts.otep.validation.rules.findings import Finding, FindingSeverity, member_path, printable_excerpt
from haulier.contexts.otep.validation.rules.gs1 import check_digit, gln_digits, sscc_digits
from haulier.contexts.otep.validation.rules.sequence_checks import CLOCK_AHEAD_MINUTES, check_codes, is_ahead
from haulier.contexts.otep.validation.rules.timeline_shape import (
    CORRECTION_CHECK,
    CORRECTION_REASONS,
    EVENT_CHECK,
    INCIDENT_REASON_CHECK,
    LOCATION_CHECK,
    SOURCE_CHECK,
    SUBJECT_CHECK,
    version_check,
)
from haulier.contexts.otep.validation.rules.validator import validate_timeline
from haulier.contexts.otep.validation.rules.value_checks import parse_timestamp
from haulier.contexts.otep.vocabulary.rules import (
    EXPERIMENTAL_PREFIX,
    INCIDENT_REASONS,
    PROFILES,
    STATUS_CODES,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    Phase,
    is_experimental_code,
    phase_of_code,
    phase_of_code_of_any_profile,
    resolve_status,
)

__all__ = [
    "CLOCK_AHEAD_MINUTES",
    "CORRECTION_CHECK",
    "CORRECTION_REASONS",
    "EVENT_CHECK",
    "EXPERIMENTAL_PREFIX",
    "FORMATS",
    "INCIDENT_REASONS",
    "INCIDENT_REASON_CHECK",
    "LOCATION_CHECK",
    "NATIVE_FORMAT",
    "OTEP_VERSION",
    "PROFILES",
    "SOURCE_CHECK",
    "STATUS_CODES",
    "SUBJECT_CHECK",
    "TERMINAL_CODES",
    "UNIVERSAL_PROFILE",
    "CarrierScan",
    "CarrierScanForm",
    "Correction",
    "DeliveryOutcome",
    "DescribeStatus",
    "EventActor",
    "Finding",
    "FindingSeverity",
    "FormatName",
    "HandedTo",
    "IncidentReason",
    "Location",
    "OutcomePieces",
    "Phase",
    "ProofOfDelivery",
    "Source",
    "Subject",
    "Timeline",
    "TrackingEvent",
    "TranslatedStatus",
    "UndeliveredPiece",
    "assemble_public_timeline",
    "build_outcome",
    "build_timeline",
    "carriers_page",
    "check_codes",
    "check_digit",
    "describe_event",
    "describe_outcome",
    "first_text",
    "gln_digits",
    "is_ahead",
    "is_experimental_code",
    "is_precomputable",
    "is_single_event",
    "join_codes",
    "localize_report",
    "member_path",
    "merge_events",
    "parse_timeline",
    "parse_timestamp",
    "phase_of_code",
    "phase_of_code_of_any_profile",
    "plain_event",
    "plain_timestamp",
    "plain_voided",
    "printable_excerpt",
    "public_outcome",
    "public_view",
    "read_scans",
    "recorded_order_key",
    "reference_page",
    "resolve_status",
    "scan_forms",
    "scan_id",
    "split_public_fields",
    "sscc_digits",
    "status_code_row",
    "status_order_key",
    "synthesise_event",
    "text_at",
    "timeline_of_event",
    "timeline_order_key",
    "translate_status",
    "validate_timeline",
    "version_check",
]
