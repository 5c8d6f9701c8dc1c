"""Names of handlers without files."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.background.names import LAYER_DEPTH

revision: str = "0114"
down_revision: str | Sequence[str] | None = "0113"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_PREFIX = "news:"


def upgrade() -> None:
    """Take the step: jobs of subscribers keep their layer and function, without the file inside the layer."""
    job = sa.table("job", sa.column("kind", sa.String))
    kinds = op.get_bind().execute(sa.select(job.c.kind).distinct().where(job.c.kind.startswith(_PREFIX))).scalars()
    for kind in list(kinds):
        parts = kind.removeprefix(_PREFIX).split(".")
        name = ".".join([*parts[:-1][:LAYER_DEPTH], parts[-1]])
        if f"{_PREFIX}{name}" != kind:
            op.execute(sa.update(job).where(job.c.kind == kind).values(kind=f"{_PREFIX}{name}"))


def downgrade() -> None:
    """Take it back. Earlier versions leave waiting jobs of subscribers in files of a folder until they are upgraded."""
