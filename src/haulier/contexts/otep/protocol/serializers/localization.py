"""The protocol in words: findings and the codebook, as the catalogues say them.

`say(message id, **parameters)` gives a message in a reader's language.
"""

from collections.abc import Callable, Iterable

from msgspec import UNSET
from msgspec.structs import asdict

from haulier.contexts.otep.protocol.contract import (
    FINDINGS_LISTED_MAX,
    CodebookEntry,
    CodebookPhase,
    CodebookStatus,
    ConformanceReport,
    OtepCodebook,
    ValidationFinding,
)
from haulier.contexts.otep.validation.rules.findings import Finding
from haulier.contexts.otep.validation.rules.validator import ValidationReport
from haulier.contexts.otep.vocabulary.rules import (
    CODE_ALIASES,
    EXPERIMENTAL_PREFIX,
    GENERIC_CODES,
    INCIDENT_REASONS,
    PHASE_RANK,
    PROFILES,
    SOURCE_TYPES,
    STATUS_CODES,
    code_address,
    phase_address,
)

SayMessage = Callable[..., str]


def localize_report(report: ValidationReport, say: SayMessage) -> ConformanceReport:
    """What the validator found, in words."""
    return ConformanceReport(
        valid=report.valid,
        level=report.level,
        error_count=len(report.errors),
        warning_count=len(report.warnings),
        errors=[localize_finding(finding, say) for finding in report.errors[:FINDINGS_LISTED_MAX]],
        warnings=[localize_finding(finding, say) for finding in report.warnings[:FINDINGS_LISTED_MAX]],
        shortfalls=[localize_finding(finding, say) for finding in report.shortfalls],
    )


def localize_finding(finding: Finding, say: SayMessage) -> ValidationFinding:
    """One finding in words."""
    return ValidationFinding(
        path=finding.path,
        code=finding.code.upper(),
        message=say(f"otep.validate.{finding.code}", **finding.params),
        hint=say(f"otep.hint.{finding.hint_code}", **finding.params) if finding.hint_code else UNSET,
    )


def localize_codebook(say: SayMessage) -> OtepCodebook:
    """The vocabulary in words."""
    return OtepCodebook(
        phases=[
            CodebookPhase(
                phase=phase,
                address=phase_address(phase),
                rank=rank,
                generic_code=GENERIC_CODES[phase],
                description=say(f"otep.phase.{phase}"),
            )
            for phase, rank in PHASE_RANK.items()
        ],
        profiles=list(_codebook_entries("profile", PROFILES, say)),
        status_codes=[
            CodebookStatus(
                **asdict(row), address=code_address(row.code, row.profile), description=say(f"otep.status.{row.code}")
            )
            for row in STATUS_CODES
        ],
        incident_reasons=list(_codebook_entries("reason", INCIDENT_REASONS, say)),
        source_types=list(_codebook_entries("source", SOURCE_TYPES, say)),
        aliases=dict(CODE_ALIASES),
        experimental_prefix=EXPERIMENTAL_PREFIX,
    )


def _codebook_entries(kind: str, codes: Iterable[str], say: SayMessage) -> Iterable[CodebookEntry]:
    return (CodebookEntry(code=code, description=say(f"otep.{kind}.{code}")) for code in codes)
