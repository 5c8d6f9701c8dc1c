"""Triggers that reject changes to the audit trail.

On PostgreSQL, only two functions change or delete entries. They run with the privileges of their owner, so a role without
UPDATE, DELETE and TRUNCATE on these tables can still erase personal data. SQLite has no roles: its triggers accept only
erasures, which remove the salt and retain the account, operation and time.
"""

from sqlalchemy.engine import Dialect

from haulier.kernel.data.tables import is_sqlite

ENTRY, SUBJECT, SEAL = "audit_entry", "audit_subject", "audit_seal"
FUNCTIONS = ("haulier_refuse_audit_change", "haulier_erase_audit_entry", "haulier_remove_audit_entries")
REFUSED = "the audit trail cannot be changed"
FIXED_COLUMNS = ("id", "owner_client_id", "at", "operation", "user_id", "account", "door", "request_id", "digest")
_ERASING = "haulier.erases_audit_entries"
_REFUSE = f"BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
_HAS_SALT = f"(SELECT salt FROM {ENTRY} WHERE id = old.entry_id) IS NOT NULL"


def audit_guard_ddl(dialect: Dialect) -> list[str]:
    """Return the statements that create the triggers."""
    return _sqlite_ddl() if is_sqlite(dialect) else _postgres_ddl()


def drop_audit_guard_ddl(dialect: Dialect) -> list[str]:
    """Return the statements that remove the triggers.

    Run them before a migration copies one of the tables on SQLite.
    """
    if is_sqlite(dialect):
        return [f"DROP TRIGGER IF EXISTS {name}" for name in _sqlite_triggers()]
    return [f"DROP FUNCTION IF EXISTS {name} CASCADE" for name in FUNCTIONS]


def audit_triggers_sql(dialect: Dialect) -> str:
    """Return the query that counts the triggers on the entries."""
    if is_sqlite(dialect):
        return f"SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '{ENTRY}'"
    return f"SELECT count(*) FROM pg_trigger WHERE tgrelid = '{ENTRY}'::regclass"


def _sqlite_ddl() -> list[str]:
    return [f"CREATE TRIGGER {name} BEFORE {event} {_REFUSE}" for name, event in _sqlite_triggers().items()]


def _sqlite_triggers() -> dict[str, str]:
    kept = " AND ".join(f"new.{column} IS old.{column}" for column in FIXED_COLUMNS)
    refused = {
        f"{ENTRY}_update": f"UPDATE ON {ENTRY} WHEN NOT (new.salt IS NULL AND {kept})",
        f"{ENTRY}_delete": f"DELETE ON {ENTRY} WHEN old.salt IS NOT NULL",
        f"{SUBJECT}_update": f"UPDATE ON {SUBJECT}",
        f"{SUBJECT}_delete": f"DELETE ON {SUBJECT} WHEN {_HAS_SALT}",
        f"{SEAL}_update": f"UPDATE ON {SEAL}",
        f"{SEAL}_delete": f"DELETE ON {SEAL}",
    }
    return {f"{name}_refused": event for name, event in refused.items()}


def _postgres_ddl() -> list[str]:
    refuse, erase, remove = FUNCTIONS
    owner_rights = "LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT"
    begin, end = (f"PERFORM set_config('{_ERASING}', '{value}', true)" for value in ("on", "off"))
    return [
        f"CREATE FUNCTION {refuse}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF TG_TABLE_NAME <> '{SEAL}' AND TG_OP <> 'TRUNCATE' AND current_setting('{_ERASING}', true) = 'on' THEN"
        " IF TG_OP = 'DELETE' THEN RETURN old; END IF; RETURN new; END IF;"
        f" RAISE EXCEPTION '{REFUSED}' USING ERRCODE = 'insufficient_privilege'; END $$",
        f"CREATE FUNCTION {erase}(entry bigint, new_request jsonb, new_address varchar, new_agent varchar)"
        f" RETURNS bigint {owner_rights} AS $$ BEGIN {begin}; UPDATE {ENTRY} SET salt = NULL, request = new_request,"
        f" address = new_address, agent = new_agent WHERE id = entry; {end}; RETURN entry; END $$",
        f"CREATE FUNCTION {remove}(ids bigint[]) RETURNS bigint {owner_rights} AS $$ BEGIN {begin};"
        f" DELETE FROM {SUBJECT} WHERE entry_id = ANY(ids); DELETE FROM {ENTRY} WHERE id = ANY(ids);"
        f" {end}; RETURN cardinality(ids); END $$",
        *(
            f"CREATE TRIGGER {table}_refused BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {refuse}()"
            for table in (ENTRY, SUBJECT, SEAL)
        ),
        *(
            f"CREATE TRIGGER {table}_truncate_refused BEFORE TRUNCATE ON {table} EXECUTE FUNCTION {refuse}()"
            for table in (ENTRY, SUBJECT, SEAL)
        ),
    ]
