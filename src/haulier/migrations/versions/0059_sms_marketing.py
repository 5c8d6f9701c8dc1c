"""SMS Marketing: contacts with consents, suppressions, templates, segments, campaigns, texts, answers, imports."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0059"
down_revision: str | Sequence[str] | None = "0058"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "sms_campaign",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("segment_id", sa.BigInteger(), nullable=True),
        sa.Column("rules", tables.Json(), nullable=True),
        sa.Column("variants", tables.Json(), nullable=False),
        sa.Column("link_url", sa.String(length=1000), nullable=True),
        sa.Column("starts_at", tables.UTCDateTime(), nullable=True),
        sa.Column("cost_cap_micros", sa.BigInteger(), nullable=True),
        sa.Column("pause_reason", sa.String(length=30), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("next_look_at", tables.UTCDateTime(), nullable=True),
        sa.Column("places", tables.Json(), nullable=False),
        sa.Column("prepared_until", sa.BigInteger(), nullable=True),
        sa.Column("prepared", sa.Integer(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("scheduled_by", tables.Id, nullable=True),
        sa.Column("begun_at", tables.UTCDateTime(), nullable=True),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_sms_campaign")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_campaign", schema=None) as batch_op:
        batch_op.create_index("ix_sms_campaign_status", ["client_id", "status", "starts_at"], unique=False)

    op.create_table(
        "sms_consent",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=False),
        sa.Column("number_key", sa.String(length=32), nullable=False),
        sa.Column("granted", sa.Boolean(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("basis", sa.String(length=20), nullable=True),
        sa.Column("consent_key", sa.String(length=60), nullable=True),
        sa.Column("method", sa.String(length=20), nullable=False),
        sa.Column("wording", sa.String(length=1000), nullable=True),
        sa.Column("source", sa.String(length=120), nullable=True),
        sa.Column("proof", tables.Json(), nullable=False),
        sa.Column("occurred_at", tables.UTCDateTime(), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=True),
        sa.Column("recorded_at", tables.UTCDateTime(), nullable=False),
        sa.Column("recorded_by", tables.Id, nullable=True),
        tables.TenantKey("id", name=op.f("pk_sms_consent")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_consent", schema=None) as batch_op:
        batch_op.create_index(
            "ix_sms_consent_number", ["client_id", "number_key", "purpose", "granted", "occurred_at"], unique=False
        )

    op.create_table(
        "sms_contact",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=False),
        sa.Column("number_key", sa.String(length=32), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=True),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=True),
        sa.Column("tags", tables.Json(), nullable=False),
        sa.Column("tag_words", sa.String(length=2000), nullable=False),
        sa.Column("variables", tables.Json(), nullable=False),
        sa.Column("source", sa.String(length=120), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "number_key", name=op.f("uq_sms_contact_client_id_number_key")),
        tables.TenantKey("id", name=op.f("pk_sms_contact")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sms_contact_import",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("cancelled_at", tables.UTCDateTime(), nullable=True),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        sa.Column("consent", tables.Json(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_sms_contact_import")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_contact_import", schema=None) as batch_op:
        batch_op.create_index("ix_sms_contact_import_finished", ["client_id", "finished_at"], unique=False)

    op.create_table(
        "sms_contact_import_row",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("document", tables.Json(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("record", sa.String(length=100), nullable=True),
        sa.Column("fault", tables.Json(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_sms_contact_import_row")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_contact_import_row", schema=None) as batch_op:
        batch_op.create_index(
            "ix_sms_contact_import_row_state", ["client_id", "import_id", "state", "number"], unique=False
        )

    op.create_table(
        "sms_marketing_setting",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("endpoint_key", sa.String(length=60), nullable=False),
        sa.Column("business_name", sa.String(length=40), nullable=False),
        sa.Column("help_contact", sa.String(length=80), nullable=False),
        sa.Column("quiet_from", sa.String(length=8), nullable=True),
        sa.Column("quiet_until", sa.String(length=8), nullable=True),
        sa.Column("throttle_per_minute", sa.Integer(), nullable=False),
        sa.Column("daily_cap", sa.Integer(), nullable=False),
        sa.Column("contact_daily_cap", sa.Integer(), nullable=False),
        sa.Column("segment_prices", tables.Json(), nullable=False),
        sa.Column("default_segment_price", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("us_registration", sa.String(length=40), nullable=True),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sms_marketing_setting")),
        sa.UniqueConstraint("client_id", name=op.f("uq_sms_marketing_setting_client_id")),
        sa.UniqueConstraint("endpoint_key", name=op.f("uq_sms_marketing_setting_endpoint_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sms_message",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("contact_id", sa.BigInteger(), nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=False),
        sa.Column("number_key", sa.String(length=32), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("place", sa.String(length=70), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("variant", sa.String(length=1), nullable=True),
        sa.Column("text", sa.String(length=1600), nullable=False),
        sa.Column("segments", sa.Integer(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.Column("link_key", sa.String(length=8), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("provider_ref", sa.String(length=100), nullable=True),
        sa.Column("claimed_at", tables.UTCDateTime(), nullable=True),
        sa.Column("sent_at", tables.UTCDateTime(), nullable=True),
        sa.Column("settled_at", tables.UTCDateTime(), nullable=True),
        sa.Column("clicks", sa.Integer(), nullable=False),
        sa.Column("clicked_at", tables.UTCDateTime(), nullable=True),
        sa.Column("opted_out_at", tables.UTCDateTime(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id", "campaign_id", "number_key", name=op.f("uq_sms_message_client_id_campaign_id_number_key")
        ),
        tables.TenantKey("id", name=op.f("pk_sms_message")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_message", schema=None) as batch_op:
        batch_op.create_index("ix_sms_message_claimed", ["client_id", "claimed_at"], unique=False)
        batch_op.create_index("ix_sms_message_fate", ["client_id", "campaign_id", "state", "position"], unique=False)
        batch_op.create_index("ix_sms_message_number", ["client_id", "number_key", "claimed_at"], unique=False)
        batch_op.create_index("ix_sms_message_reference", ["client_id", "provider_ref"], unique=False)

    op.create_table(
        "sms_reply",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=False),
        sa.Column("number_key", sa.String(length=32), nullable=False),
        sa.Column("contact_id", sa.BigInteger(), nullable=True),
        sa.Column("campaign_id", sa.BigInteger(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("meaning", sa.String(length=20), nullable=False),
        sa.Column("provider_ref", sa.String(length=100), nullable=False),
        sa.Column("received_at", tables.UTCDateTime(), nullable=False),
        sa.Column("needs_person", sa.Boolean(), nullable=False),
        sa.Column("resolution", sa.String(length=20), nullable=True),
        sa.Column("resolved_at", tables.UTCDateTime(), nullable=True),
        sa.Column("resolved_by", tables.Id, nullable=True),
        sa.UniqueConstraint("client_id", "provider_ref", name=op.f("uq_sms_reply_client_id_provider_ref")),
        tables.TenantKey("id", name=op.f("pk_sms_reply")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_reply", schema=None) as batch_op:
        batch_op.create_index("ix_sms_reply_open", ["client_id", "needs_person", "id"], unique=False)

    op.create_table(
        "sms_segment",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("rules", tables.Json(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "name", name=op.f("uq_sms_segment_client_id_name")),
        tables.TenantKey("id", name=op.f("pk_sms_segment")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sms_suppression",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("phone", sa.String(length=20), nullable=False),
        sa.Column("number_key", sa.String(length=32), nullable=False),
        sa.Column("list", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("note", sa.String(length=255), nullable=True),
        sa.Column("added_at", tables.UTCDateTime(), nullable=False),
        sa.Column("added_by", tables.Id, nullable=True),
        sa.Column("lifted_at", tables.UTCDateTime(), nullable=True),
        sa.Column("lifted_by", tables.Id, nullable=True),
        sa.Column("lift_reason", sa.String(length=255), nullable=True),
        tables.TenantKey("id", name=op.f("pk_sms_suppression")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sms_suppression", schema=None) as batch_op:
        batch_op.create_index("ix_sms_suppression_added", ["client_id", "id"], unique=False)
        batch_op.create_index(
            "uq_sms_suppression_in_force",
            ["client_id", "number_key", "list", "reason"],
            unique=True,
            sqlite_where=sa.text("lifted_at IS NULL"),
            postgresql_where=sa.text("lifted_at IS NULL"),
        )

    op.create_table(
        "sms_template",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("texts", tables.Json(), nullable=False),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "name", name=op.f("uq_sms_template_client_id_name")),
        tables.TenantKey("id", name=op.f("pk_sms_template")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("sms_template")
    with op.batch_alter_table("sms_suppression", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_sms_suppression_in_force",
            sqlite_where=sa.text("lifted_at IS NULL"),
            postgresql_where=sa.text("lifted_at IS NULL"),
        )
        batch_op.drop_index("ix_sms_suppression_added")

    op.drop_table("sms_suppression")
    op.drop_table("sms_segment")
    with op.batch_alter_table("sms_reply", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_reply_open")

    op.drop_table("sms_reply")
    with op.batch_alter_table("sms_message", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_message_reference")
        batch_op.drop_index("ix_sms_message_number")
        batch_op.drop_index("ix_sms_message_fate")
        batch_op.drop_index("ix_sms_message_claimed")

    op.drop_table("sms_message")
    op.drop_table("sms_marketing_setting")
    with op.batch_alter_table("sms_contact_import_row", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_contact_import_row_state")

    op.drop_table("sms_contact_import_row")
    with op.batch_alter_table("sms_contact_import", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_contact_import_finished")

    op.drop_table("sms_contact_import")
    op.drop_table("sms_contact")
    with op.batch_alter_table("sms_consent", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_consent_number")

    op.drop_table("sms_consent")
    with op.batch_alter_table("sms_campaign", schema=None) as batch_op:
        batch_op.drop_index("ix_sms_campaign_status")

    op.drop_table("sms_campaign")
