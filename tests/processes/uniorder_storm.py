"""A job of unified orders with killed servers and an unreliable carrier."""

from itertools import count
from pathlib import Path
from typing import Any

from tests.processes.label_storm import AN_HOUR_S, HERE, PROGRAM, ROOT, THERE, faults_after
from tests.processes.server_process import eventually, make_admin, make_server, post_json, query_rows
from tests.processes.stormy_carrier import make_stormy_carrier
from tests.support.databases import migrated_file

FORM = {"shipper": HERE, "consignee": {**THERE, "lat": 45.42, "lng": -75.69}, "packages": [{"weight_g": 900}]}
FINISHED = "SELECT count(*) FROM uniorder_job WHERE finished_at IS NOT NULL"
UNKNOWN = "SELECT count(*) FROM shipment WHERE state = 'purchase_unknown'"


def forms(labels: int, locals_: int) -> list[dict[str, Any]]:
    """Return alternating labels and local deliveries, each with a reference."""
    number = count()
    label = {"order": FORM, "kind": "label", "service": "any"}
    kinds = [label, {"order": FORM}] * min(labels, locals_)
    return [{**kind, "order_ref": f"U-{next(number)}"} for kind in kinds]


def storm(folder: Path, size: int, kills: int) -> list[str]:
    """Start a job, kill its servers, and let the last one finish it. Returns errors."""
    database = migrated_file(folder)
    admin = make_admin(database)
    with make_stormy_carrier(seed=7) as (ledger, address):
        settings: dict[str, Any] = {"STORMY_CARRIER": address, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        for round_number in range(kills):
            now: dict[str, Any] = {**settings, "clock_offset_s": AN_HOUR_S * round_number}
            enough = size // 2 * (round_number + 1) // (kills + 1)
            with make_server(folder, database, program=PROGRAM, **now) as server:
                if not round_number:
                    opened = {"carrier": "STORMY", "name": "Stormy", "default": True, "sender": HERE}
                    post_json(server.base, "carrier-accounts", opened, admin)
                    post_json(server.base, "uniorder/batch-async", {"orders": forms(size // 2, size // 2)}, admin)
                eventually(lambda enough=enough: len(ledger.sold) >= enough, server)
                server.kill()
        if query_rows(database, FINISHED) != [(0,)]:
            return ["the job was over before the last server was killed"]
        ledger.calm = True
        settings["clock_offset_s"] = AN_HOUR_S * (kills + 1)
        with make_server(folder, database, program=PROGRAM, **settings) as server:
            eventually(lambda: query_rows(database, FINISHED) == [(1,)], server)
            eventually(lambda: query_rows(database, UNKNOWN) == [(0,)], server)
    return [*faults_after(ledger, database, size // 2), *_faults_of_job(database, size)]


def _faults_of_job(database: str, size: int) -> list[str]:
    """Return lost or repeated orders."""
    wanted = {
        "forms made": ("SELECT count(*) FROM uniorder_job_row WHERE state = 'created'", size),
        "orders of forms": ("SELECT count(DISTINCT uniorder_id) FROM uniorder_job_row", size),
        "orders": ("SELECT count(*) FROM uniorder", size),
        "references": ("SELECT count(DISTINCT order_ref) FROM uniorder", size),
        "local deliveries": ("SELECT count(*) FROM delivery_order", size // 2),
    }
    found = {name: (query_rows(database, sql)[0][0], most) for name, (sql, most) in wanted.items()}
    return [f"{there} {name} of {most}" for name, (there, most) in found.items() if there != most]
