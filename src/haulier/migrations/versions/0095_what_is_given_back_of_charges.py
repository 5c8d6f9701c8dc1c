"""Sums given back of charges, and the charges that credit notes give back."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0095"
down_revision: str | Sequence[str] | None = "0094"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

REFUNDS = """
UPDATE ledger_transfer SET given_back_minor = (
    SELECT CASE WHEN sum(back.amount_minor) < ledger_transfer.amount_minor
        THEN sum(back.amount_minor) ELSE ledger_transfer.amount_minor END
    FROM ledger_transfer AS back
    WHERE back.client_id = ledger_transfer.client_id AND back.refund_of = ledger_transfer.id)
WHERE id IN (SELECT refund_of FROM ledger_transfer WHERE refund_of IS NOT NULL)
"""
CREDITED = """
SELECT client_id, id, total_minor, credited_minor FROM invoice
WHERE kind = 'invoice' AND status <> 'void' AND credited_minor > 0 ORDER BY id
"""
CHARGES = """
SELECT charge.id, charge.amount_minor - charge.given_back_minor AS left_minor
FROM invoice_line AS line
JOIN ledger_transfer AS charge ON charge.client_id = line.client_id AND charge.id = line.transfer_id
WHERE line.client_id = :client AND line.invoice_id = :invoice AND line.amount_minor > 0 ORDER BY line.position
"""
COUNT = "UPDATE ledger_transfer SET given_back_minor = given_back_minor + :minor WHERE client_id = :client AND id = :id"


def upgrade() -> None:
    """Take the step. Refunds and credit notes that exist count as given back."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    with op.batch_alter_table("invoice_line", schema=None) as batch_op:
        batch_op.add_column(sa.Column("charge_id", tables.Id, nullable=True))
        batch_op.create_index("ix_invoice_line_transfer", ["client_id", "transfer_id"], unique=False)
    with op.batch_alter_table("ledger_transfer", schema=None) as batch_op:
        batch_op.add_column(sa.Column("given_back_minor", sa.BigInteger(), server_default="0", nullable=False))
    op.execute(REFUNDS)
    count_credit_notes()
    with op.batch_alter_table("ledger_transfer", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.create_check_constraint(
            op.f("ck_ledger_transfer_given_back"), "given_back_minor BETWEEN 0 AND amount_minor"
        )


def count_credit_notes() -> None:
    """Distribute what credit notes gave back over the charges of their invoices; a whole credit closes all of them."""
    connection = op.get_bind()
    for client, invoice, total, credited in connection.execute(sa.text(CREDITED)).all():
        rest = credited
        for charge, left in connection.execute(sa.text(CHARGES), {"client": client, "invoice": invoice}).all():
            minor = left if credited >= total else min(left, rest)
            if minor > 0:
                connection.execute(sa.text(COUNT), {"client": client, "id": charge, "minor": minor})
                rest -= minor


def downgrade() -> None:
    """Take it back. The sums follow from refunds and credit notes."""
    with op.batch_alter_table("ledger_transfer", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_constraint(op.f("ck_ledger_transfer_given_back"), type_="check")
        batch_op.drop_column("given_back_minor")
    with op.batch_alter_table("invoice_line", schema=None) as batch_op:
        batch_op.drop_index("ix_invoice_line_transfer")
        batch_op.drop_column("charge_id")
