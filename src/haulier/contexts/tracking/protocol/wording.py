"""The protocol in words: findings and the codebook, as the catalogues say them.

`say(message id, **parameters)` gives a message in a reader's language.
"""

from collections.abc import Callable, Iterable

from msgspec import UNSET
from msgspec.structs import asdict

from haulier.contexts.tracking.otep.rules.findings import Finding
from haulier.contexts.tracking.otep.rules.validate import Report
from haulier.contexts.tracking.otep.vocabulary import (
    ALIASES,
    EXPERIMENTAL,
    GENERIC,
    INCIDENT_REASONS,
    PROFILES,
    RANK,
    SOURCE_TYPES,
    TABLE,
    address,
    phase_address,
)
from haulier.contexts.tracking.protocol.contract import (
    LISTED_MAX,
    Codebook,
    Conformance,
    Found,
    PhaseEntry,
    StatusEntry,
    WordEntry,
)

Say = Callable[..., str]


def conformance(report: Report, say: Say) -> Conformance:
    """What the validator found, in words."""
    return Conformance(
        valid=report.valid,
        level=report.level,
        error_count=len(report.errors),
        warning_count=len(report.warnings),
        errors=[found(each, say) for each in report.errors[:LISTED_MAX]],
        warnings=[found(each, say) for each in report.warnings[:LISTED_MAX]],
        shortfalls=[found(each, say) for each in report.shortfalls],
    )


def found(finding: Finding, say: Say) -> Found:
    """One finding in words."""
    return Found(
        path=finding.path,
        code=finding.code.upper(),
        message=say(f"otep.validate.{finding.code}", **finding.params),
        hint=say(f"otep.hint.{finding.hint_code}", **finding.params) if finding.hint_code else UNSET,
    )


def codebook(say: Say) -> Codebook:
    """The vocabulary in words."""
    return Codebook(
        phases=[
            PhaseEntry(
                phase=phase,
                address=phase_address(phase),
                rank=rank,
                generic_code=GENERIC[phase],
                description=say(f"otep.phase.{phase}"),
            )
            for phase, rank in RANK.items()
        ],
        profiles=list(_words("profile", PROFILES, say)),
        status_codes=[
            StatusEntry(
                **asdict(row), address=address(row.code, row.profile), description=say(f"otep.status.{row.code}")
            )
            for row in TABLE
        ],
        incident_reasons=list(_words("reason", INCIDENT_REASONS, say)),
        source_types=list(_words("source", SOURCE_TYPES, say)),
        aliases=dict(ALIASES),
        experimental_prefix=EXPERIMENTAL,
    )


def _words(kind: str, codes: Iterable[str], say: Say) -> Iterable[WordEntry]:
    return (WordEntry(code=code, description=say(f"otep.{kind}.{code}")) for code in codes)
