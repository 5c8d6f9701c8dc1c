"""The journey as a drawing, generated from the table: a Mermaid state diagram of the phases and the codes within them."""

from haulier.contexts.tracking.otep.vocabulary import RANK, TABLE, UNIVERSAL, StatusCode, resolve


def diagram(profile: str = UNIVERSAL) -> str:
    """A Mermaid `stateDiagram-v2` of a profile.

    Phases are composite states in the order of the journey, codes are the states within them, exceptions carry the class
    `exception`, and terminal codes lead out.
    """
    rows = [row for row in TABLE if resolve(row.code, profile) is row]
    lines = ["stateDiagram-v2", f"    [*] --> {next(iter(RANK))}"]
    for phase in RANK:
        lines += [f"    state {phase} {{", *_states(rows, phase), "    }"]
    lines += [f"    {before} --> {after}" for before, after in zip(RANK, list(RANK)[1:], strict=False)]
    lines += [f"    {_name(row)} --> [*]" for row in rows if row.terminal]
    lines.append("    classDef exception stroke-dasharray: 4 3")
    lines += [f"    class {_name(row)} exception" for row in rows if row.exception]
    return "\n".join(lines) + "\n"


def _states(rows: list[StatusCode], phase: str) -> list[str]:
    return [f'        state "{row.code}" as {_name(row)}' for row in rows if row.phase == phase]


def _name(row: StatusCode) -> str:
    """A state's name in the drawing. A prefix keeps `delivered` the code apart from `delivered` the phase."""
    return f"code_{row.code}"
