"""Keys begin with the client, so that PostgreSQL can be distributed by it; what is unique on the platform has a directory.

On PostgreSQL the indexes are made first: meanwhile everybody reads and nobody writes. The keys are exchanged at the end, at
once. An index that is there already under its name (`CREATE UNIQUE INDEX CONCURRENTLY`, before this step) is taken as it is.
SQLite keeps its primary keys; a table whose unique constraint changes is copied.
"""

from collections.abc import Iterable, Iterator, Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0017"
down_revision: str | Sequence[str] | None = "0016"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BY_ID = tuple(
    """
    app_version_policy approval_policy board_claim board_driver_rule board_posting booking_pattern booking_window
    booking_zone broker_order_assignment cod_entry contractor_capacity contractor_rule delivery_order delivery_pin
    depot driver driver_document driver_policy driver_position driver_skill driver_working_profile earning
    file_content instant_job instant_offer order_batch order_batch_row order_change order_package past_rate_card
    pay_rate pending_write personal_data_request rate_card recipient_brand recipient_customer_policy
    recipient_message recipient_message_policy redelivery_policy reservation retention_progress return_reason
    rider_answer rider_duty rider_event rider_policy rider_scan rider_upload route route_build route_build_step
    route_stop stored_file tracking_alias tracking_carriage tracking_subject vehicle webhook_attempt
    webhook_delivery webhook_endpoint
    """.split()  # noqa: SIM905
)
"""The tables whose rows have an `id`."""
BY_OTHERS = {
    "driver_point": ("driver_id", "slot_at"),
    "tracking_correction": ("subject_id", "correction_id"),
    "tracking_event": ("subject_id", "event_id"),
}
PARTITIONED = "tracking_event"

UNIQUE = {
    "board_driver_rule": ("driver_id",),
    "delivery_order": ("tracking_number",),
    "delivery_pin": ("order_id",),
    "driver": ("user_id",),
    "driver_position": ("driver_id",),
    "file_content": ("file_id",),
    "order_package": ("tracking_number",),
    "rider_duty": ("driver_id",),
    "tracking_carriage": ("subject_id", "carrier"),
    "tracking_subject": ("tracking_number",),
}
"""Unique constraints: the columns that were unique on the platform, and are so for each client."""
PARTIAL = {
    "uq_board_claim_place": ("board_claim", ("route_id", "driver_id"), "ended_at IS NULL"),
    "uq_board_claim_winner": ("board_claim", ("route_id",), "won_at IS NOT NULL AND ended_at IS NULL"),
    "uq_board_posting_live": ("board_posting", ("route_id",), "closed_at IS NULL"),
    "uq_broker_order_assignment_active": ("broker_order_assignment", ("order_id",), "status = 'active'"),
    "uq_instant_job_open_order": ("instant_job", ("order_id",), "status = 'open'"),
    "uq_reservation_order": ("reservation", ("order_id",), "order_id IS NOT NULL AND outcome IS NULL"),
    "uq_route_stop_order": ("route_stop", ("order_id", "kind"), "on_route"),
}
"""Unique indexes of some rows, by name."""
NO_LONGER_NEEDED = [
    "board_driver_rule",
    "delivery_pin",
    "file_content",
    "order_package",
    "rider_duty",
    "tracking_carriage",
]
"""The tables with an index of `client_id` alone, which now begins another."""


def upgrade() -> None:
    """Take the step."""
    _make_directory()
    op.create_index("ix_tracking_subject_key", "tracking_subject", ["client_id", "number_key"])
    _exchange(old=(), new=("client_id",))
    for table in NO_LONGER_NEEDED:
        op.drop_index(f"ix_{table}_client_id", table)
    op.drop_index("ix_tracking_subject_number_key", "tracking_subject")


def downgrade() -> None:
    """Take it back."""
    op.create_index("ix_tracking_subject_number_key", "tracking_subject", ["number_key"])
    for table in NO_LONGER_NEEDED:
        op.create_index(f"ix_{table}_client_id", table, ["client_id"])
    _exchange(old=("client_id",), new=())
    op.drop_index("ix_tracking_subject_key", "tracking_subject")
    op.drop_table("tracking_number")


def _make_directory() -> None:
    """Write down whose each tracking number is. Orders and packages have had a subject since they were made."""
    op.create_table(
        "tracking_number",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("number", sa.String(length=100), nullable=False),
        sa.Column("number_key", sa.String(length=300), nullable=False),
        sa.Column("owner_client_id", tables.Id, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tracking_number")),
        sa.UniqueConstraint("number", name=op.f("uq_tracking_number_number")),
        sqlite_autoincrement=True,
    )
    if _is_postgres():
        op.execute("SELECT set_config('haulier.client', '*', true)")
        op.execute("LOCK TABLE tracking_subject IN SHARE MODE")
    op.execute(
        "INSERT INTO tracking_number (number, number_key, owner_client_id)"
        " SELECT tracking_number, number_key, client_id FROM tracking_subject ORDER BY id"
    )
    op.create_index("ix_tracking_number_number_key", "tracking_number", ["number_key"])


def _is_postgres() -> bool:
    return op.get_bind().dialect.name == "postgresql"


def _exchange(*, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    """Put the keys that begin with some columns in the place of those that begin with others."""
    if _is_postgres():
        for statement in _new_indexes(new):
            op.execute(statement)
        # Why in one: from its first statement on, nobody reads these tables, so there is no going back and forth.
        op.execute(f"DO $$ BEGIN {'; '.join((*_new_constraints(old, new), *_new_keys(new)))}; END $$")
        return
    for table, columns in UNIQUE.items():
        _copy_with_constraint(table, (*old, *columns), (*new, *columns))
    for name, (table, columns, condition) in PARTIAL.items():
        op.drop_index(name, table)
        op.create_index(name, table, [*new, *columns], unique=True, sqlite_where=sa.text(condition))


def _copy_with_constraint(table: str, old: Sequence[str], new: Sequence[str]) -> None:
    """Numbers of rows that were deleted are not given again: the copy counts on from where the table was."""
    counted = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name").bindparams(name=table)
    last = op.get_bind().scalar(counted) or 0
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_constraint(op.f(_constraint_name(table, old)), type_="unique")
        batch_op.create_unique_constraint(op.f(_constraint_name(table, new)), list(new))
    go_on = sa.text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = :name")
    op.execute(go_on.bindparams(last=last, name=table))


def _constraint_name(table: str, columns: Iterable[str]) -> str:
    return "_".join(("uq", table, *columns))


def _leaves() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The tables that hold rows themselves, the columns of their keys, and the names of those."""
    for table in BY_ID:
        yield table, ("id",), f"pk_{table}"
    for table, columns in BY_OTHERS.items():
        for leaf in _partitions() if table == PARTITIONED else [table]:
            yield leaf, columns, f"pk_{table}" if leaf == table else f"{leaf}_pkey"


def _partitions() -> Sequence[str]:
    """Those that there are: a new database gets them after its last step."""
    query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = CAST(:parent AS regclass) ORDER BY 1"
    return op.get_bind().scalars(sa.text(query).bindparams(parent=PARTITIONED)).all()


def _new_indexes(first: tuple[str, ...]) -> Iterator[str]:
    """Takes the long time, and lets everybody read meanwhile."""
    for table, columns, _ in _leaves():
        yield _unique_index(f"new_key_{table}", table, (*first, *columns))
    for table, columns in UNIQUE.items():
        yield _unique_index(_constraint_name(table, (*first, *columns)), table, (*first, *columns))
    for name, (table, columns, condition) in PARTIAL.items():
        yield _unique_index(f"new_{name}", table, (*first, *columns)) + f" WHERE {condition}"


def _unique_index(name: str, table: str, columns: Iterable[str]) -> str:
    return f"CREATE UNIQUE INDEX IF NOT EXISTS {name} ON {table} ({', '.join(columns)})"


def _new_keys(first: tuple[str, ...]) -> Iterator[str]:
    yield f"ALTER TABLE {PARTITIONED} DROP CONSTRAINT pk_{PARTITIONED}"
    for table, _, name in _leaves():
        yield f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}"
        yield f"ALTER TABLE {table} ADD CONSTRAINT {name} PRIMARY KEY USING INDEX new_key_{table}"
    columns = ", ".join((*first, *BY_OTHERS[PARTITIONED]))  # the keys of the partitions become parts of it
    yield f"ALTER TABLE {PARTITIONED} ADD CONSTRAINT pk_{PARTITIONED} PRIMARY KEY ({columns})"


def _new_constraints(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    for table, columns in UNIQUE.items():
        name = _constraint_name(table, (*new, *columns))
        yield f"ALTER TABLE {table} DROP CONSTRAINT {_constraint_name(table, (*old, *columns))}"
        yield f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}"
    for name in PARTIAL:
        yield f"DROP INDEX {name}"
        yield f"ALTER INDEX new_{name} RENAME TO {name}"
