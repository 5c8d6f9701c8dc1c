"""Skills of drivers and vehicles in a row.

As a list, and as text in which either database finds a single one.
"""

from collections.abc import Sequence
from typing import Any

from haulier.kernel.data.statements import contains_pattern


def skill_columns(skills: Sequence[str]) -> dict[str, Any]:
    """Return the two columns that hold skills.

    In `skill_words`, each is between line breaks.
    """
    return {"skills": list(skills), "skill_words": "".join(f"\n{skill}\n" for skill in skills)}


def skill_pattern(skill: str) -> str:
    """The pattern of one whole skill in `skill_words`."""
    return contains_pattern(f"\n{skill}\n")
