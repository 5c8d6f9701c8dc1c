"""The life of a build."""

from enum import StrEnum


class BuildState(StrEnum):
    """Where a build stands. `done`: there is a plan, which may be committed; `cancelled` may have one too."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ExistingRouteMode(StrEnum):
    """What happens to routes that drivers have on the day already.

    `leave`: those drivers are not planned. `extend`: their open stops stay as they are, and new ones come after.
    `rebuild`: what is neither driven nor locked is planned anew, beginning from the routes as they are.
    """

    LEAVE = "leave"
    EXTEND = "extend"
    REBUILD = "rebuild"


ACTIVE_BUILD_STATES = frozenset({BuildState.QUEUED, BuildState.RUNNING})
COMMITTABLE_BUILD_STATES = frozenset({BuildState.DONE, BuildState.CANCELLED})


def effective_build_state(state: str, job_state: str | None) -> BuildState:
    """Where a build stands, when its job is known: one whose job died without a word has failed."""
    found = BuildState(state)
    return BuildState.FAILED if found in ACTIVE_BUILD_STATES and job_state in (None, "dead", "done") else found


def mermaid() -> str:
    """The life of a build as a Mermaid state diagram."""
    ends = ("done", "failed", "cancelled")
    lines = ["stateDiagram-v2", "    [*] --> queued: build_route", "    [*] --> done: answered at once"]
    lines += ["    queued --> running: a worker takes it", "    running --> running: a better plan"]
    lines += ["    running --> done", "    running --> failed", "    queued --> cancelled", "    running --> cancelled"]
    return "\n".join([*lines, *(f"    {end} --> [*]" for end in ends)]) + "\n"
