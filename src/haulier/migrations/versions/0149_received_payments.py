"""Received payments and their allocations to invoices."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0149"
down_revision: str | Sequence[str] | None = "0148"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


_transfer = sa.table(
    "ledger_transfer",
    *(sa.column(name) for name in ("id", "client_id", "key", "kind", "amount_minor", "currency", "reason")),
    *(sa.column(name) for name in ("debit_account_id", "credit_account_id", "by_user_id")),
    sa.column("at", tables.UTCDateTime()),
)
_account = sa.table("ledger_account", *(sa.column(name) for name in ("id", "client_id", "kind", "owner_id")))
_invoice = sa.table(
    "invoice",
    *(sa.column(name) for name in ("id", "client_id", "customer_id", "currency", "kind", "status", "paid_minor")),
    sa.column("created_at", tables.UTCDateTime()),
)
_payment = sa.table(
    "received_payment",
    *(sa.column(name) for name in ("id", "client_id", "transfer_id", "customer_id", "currency", "amount_minor")),
    *(sa.column(name) for name in ("allocated_minor", "status", "paid_by", "reference", "automatic", "reason")),
    sa.column("received_on", sa.Date()),
    sa.column("created_at", tables.UTCDateTime()),
    sa.column("created_by"),
)
_allocation = sa.table(
    "payment_allocation",
    *(sa.column(name) for name in ("client_id", "payment_id", "invoice_id", "amount_minor")),
    sa.column("created_at", tables.UTCDateTime()),
)


def _fill() -> None:
    """Record the payments of the ledger, and allocate what invoices were paid.

    A payment for an invoice pays that invoice. What else was paid comes from other payments, oldest first, and then from
    credit without a payment.
    """
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    invoices = _load_invoices()
    own = defaultdict[Any, list[dict[str, Any]]](list)
    others = defaultdict[Any, list[dict[str, Any]]](list)
    payments = _load_payments()
    for each in payments:
        invoice_id = each.pop("invoice_id")
        if invoice_id is None:
            others[each["client_id"], each["customer_id"], each["currency"]].append(each)
        else:
            own[each["client_id"], invoice_id].append(each)
    allocated = list[dict[str, Any]]()
    for row in invoices:
        sources = [*own[row.client_id, row.id], *others[row.client_id, row.customer_id, row.currency]]
        allocated += _allocations(row, sources)
    for each in payments:
        each["status"] = "allocated" if each["allocated_minor"] == each["amount_minor"] else "unallocated"
    if payments:
        op.bulk_insert(_payment, payments)
    ids = {(row.client_id, row.transfer_id): row.id for row in _all(sa.select(_payment))}
    rows = [
        {**each, "payment_id": each["payment_id"] and ids[each["client_id"], each["payment_id"]]} for each in allocated
    ]
    if rows:
        op.bulk_insert(_allocation, rows)


def _all(statement: sa.Select[Any]) -> Sequence[Any]:
    return op.get_bind().execute(statement).fetchall()


def _load_invoices() -> Sequence[Any]:
    paid = sa.select(_invoice).where(
        _invoice.c.kind == "invoice", _invoice.c.status != "void", _invoice.c.paid_minor > 0
    )
    return _all(paid.order_by(_invoice.c.id))


def _load_payments() -> list[dict[str, Any]]:
    """Return the payments by bank transfer and in cash, with the invoice that each was recorded for."""
    into, wallet, t = _account.alias("paid_into"), _account.alias("wallet"), _transfer.c
    found = sa.select(_transfer, into.c.kind.label("paid_by"), wallet.c.owner_id).where(
        t.kind == "top_up",
        sa.and_(into.c.id == t.debit_account_id, into.c.client_id == t.client_id),
        sa.and_(wallet.c.id == t.credit_account_id, wallet.c.client_id == t.client_id),
        into.c.kind.in_(("bank", "cash")),
    )
    return [_payment_of(row) for row in _all(found.order_by(t.id))]


def _payment_of(row: Any) -> dict[str, Any]:
    purpose, subject, reference = [*row.key.split(":", 2), "", ""][:3]
    is_invoice = purpose == "invoice" and subject.isdecimal()
    return {
        "client_id": row.client_id,
        "transfer_id": row.id,
        "customer_id": row.owner_id,
        "currency": row.currency,
        "amount_minor": row.amount_minor,
        "allocated_minor": 0,
        "status": "unallocated",
        "paid_by": row.paid_by,
        "reference": (reference or row.key)[:80],
        "received_on": row.at.date(),
        "automatic": True,
        "reason": row.reason,
        "created_at": row.at,
        "created_by": row.by_user_id,
        "invoice_id": int(subject) if is_invoice else None,
    }


def _allocations(row: Any, sources: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the allocations of a paid invoice, and count them in their payments."""
    left, made = row.paid_minor, list[dict[str, Any]]()
    for each in sources:
        part = min(left, each["amount_minor"] - each["allocated_minor"])
        if part > 0:
            made.append(_part(row, part, each["transfer_id"]))
            each["allocated_minor"] += part
            left -= part
    return [*made, _part(row, left, None)] if left else made


def _part(row: Any, minor: int, transfer_id: int | None) -> dict[str, Any]:
    return {
        "client_id": row.client_id,
        "payment_id": transfer_id,
        "invoice_id": row.id,
        "amount_minor": minor,
        "created_at": row.created_at,
    }


def upgrade() -> None:
    """Take the step."""
    # ### commands auto generated by Alembic - please adjust! ###
    op.create_table(
        "payment_allocation",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("payment_id", tables.Id, nullable=True),
        sa.Column("invoice_id", tables.Id, nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("undone_at", tables.UTCDateTime(), nullable=True),
        sa.Column("undone_by", tables.Id, nullable=True),
        sa.CheckConstraint("amount_minor > 0", name=op.f("ck_payment_allocation_amount")),
        tables.TenantKey("id", name=op.f("pk_payment_allocation")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("payment_allocation", schema=None) as batch_op:
        batch_op.create_index("ix_payment_allocation_invoice", ["client_id", "invoice_id", "id"], unique=False)
        batch_op.create_index("ix_payment_allocation_payment", ["client_id", "payment_id", "id"], unique=False)

    op.create_table(
        "received_payment",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("transfer_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("allocated_minor", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("paid_by", sa.String(length=10), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=False),
        sa.Column("received_on", sa.Date(), nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        sa.Column("asked", tables.Json(), nullable=True),
        sa.Column("reason", sa.String(length=255), nullable=True),
        sa.Column("reversed_at", tables.UTCDateTime(), nullable=True),
        sa.Column("reversal_reason", sa.String(length=255), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.CheckConstraint(
            "amount_minor > 0 AND allocated_minor BETWEEN 0 AND amount_minor", name=op.f("ck_received_payment_amount")
        ),
        sa.UniqueConstraint("client_id", "transfer_id", name=op.f("uq_received_payment_client_id_transfer_id")),
        tables.TenantKey("id", name=op.f("pk_received_payment")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("received_payment", schema=None) as batch_op:
        batch_op.create_index("ix_received_payment_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_received_payment_status", ["client_id", "status", "id"], unique=False)
        batch_op.create_index(
            "ix_received_payment_unallocated",
            ["client_id", "customer_id", "currency"],
            unique=False,
            sqlite_where=sa.text("status = 'unallocated'"),
            postgresql_where=sa.text("status = 'unallocated'"),
        )

    # ### end Alembic commands ###
    _fill()


def downgrade() -> None:
    """Take it back."""
    # ### commands auto generated by Alembic - please adjust! ###
    with op.batch_alter_table("received_payment", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_received_payment_unallocated",
            sqlite_where=sa.text("status = 'unallocated'"),
            postgresql_where=sa.text("status = 'unallocated'"),
        )
        batch_op.drop_index("ix_received_payment_status")
        batch_op.drop_index("ix_received_payment_customer")

    op.drop_table("received_payment")
    with op.batch_alter_table("payment_allocation", schema=None) as batch_op:
        batch_op.drop_index("ix_payment_allocation_payment")
        batch_op.drop_index("ix_payment_allocation_invoice")

    op.drop_table("payment_allocation")
    # ### end Alembic commands ###
