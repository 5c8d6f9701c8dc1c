"""Mermaid state diagram of the phases and the codes within them."""

from haulier.contexts.otep.vocabulary.rules import (
    PHASE_RANK,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
    StatusCode,
    resolve_status,
)


def state_diagram(profile: str = UNIVERSAL_PROFILE) -> str:
    """Return a Mermaid `stateDiagram-v2` of a profile.

    Phases are composite states in the order of the journey, codes are the states within them, exceptions carry the
    class     `exception`, and terminal codes lead out.
    """
    rows = [row for row in STATUS_CODES if resolve_status(row.code, profile) is row]
    lines = ["stateDiagram-v2", f"    [*] --> {next(iter(PHASE_RANK))}"]
    for phase in PHASE_RANK:
        lines += [f"    state {phase} {{", *_phase_states(rows, phase), "    }"]
    lines += [f"    {before} --> {after}" for before, after in zip(PHASE_RANK, list(PHASE_RANK)[1:], strict=False)]
    lines += [f"    {_state_name(row)} --> [*]" for row in rows if row.terminal]
    lines.append("    classDef exception stroke-dasharray: 4 3")
    lines += [f"    class {_state_name(row)} exception" for row in rows if row.exception]
    return "\n".join(lines) + "\n"


def _phase_states(rows: list[StatusCode], phase: str) -> list[str]:
    return [f'        state "{row.code}" as {_state_name(row)}' for row in rows if row.phase == phase]


def _state_name(row: StatusCode) -> str:
    """Return a state's name in the diagram.

    A prefix separates `delivered` the code from `delivered` the phase.
    """
    return f"code_{row.code}"
