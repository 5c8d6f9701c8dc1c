"""Baseline: the schema before version 0.1.0, as text that changes of the declared tables do not touch."""

import re
from collections.abc import Sequence
from pathlib import Path

from alembic import op

import haulier.migrations

revision: str = "0114"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

_CREATED = re.compile(r'^CREATE (?:VIRTUAL )?(TABLE|FUNCTION) "?(\w+)', re.MULTILINE)


def upgrade() -> None:
    """Create all tables, indexes, policies and triggers."""
    for statement in _script().removesuffix(";\n").split(";\n\n"):
        op.get_bind().exec_driver_sql(statement)


def downgrade() -> None:
    """Drop everything that the baseline creates."""
    for kind, name in reversed(_CREATED.findall(_script())):
        cascade = " CASCADE" if kind == "FUNCTION" else ""
        op.get_bind().exec_driver_sql(f'DROP {kind} IF EXISTS "{name}"{cascade}')


def _script() -> str:
    folder = Path(haulier.migrations.__file__).parent / "baseline"
    return (folder / f"{op.get_bind().dialect.name}.sql").read_text(encoding="utf-8")
