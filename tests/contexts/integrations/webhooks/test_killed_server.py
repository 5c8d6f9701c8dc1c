"""A server killed during delivery: the message is sent again by the next one."""

import json
from pathlib import Path

import apsw
import httpx
from tests.adapters.fake_webhook_receiver import run_receiver
from tests.processes.server_process import eventually, make_admin, make_order, make_server, post_json, query_rows
from tests.support.databases import migrated_file

STILL_THINKING_S = 600


def let_leases_run_out(database: str) -> None:
    """As if the time had passed that a worker may be silent for."""
    connection = apsw.Connection(database.removeprefix("sqlite:///"))
    connection.execute("UPDATE job SET lease_until = '2026-01-01T00:00:00.000000Z' WHERE state = 'running'")
    assert connection.changes()
    connection.close()


def test_a_message_being_posted_when_the_server_is_killed_arrives(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    admin = make_admin(url)
    with run_receiver() as receiver:
        with make_server(tmp_path, url, private_webhooks=1) as server:
            wanted = {"endpoints": [{"url": receiver.url(), "events": ["order.created"]}]}
            answer = httpx.put(f"{server.base}/api/v1/webhook-settings", json=wanted, headers=admin, timeout=60)
            secret = answer.json()["endpoints"][0]["secret"]
            receiver.will(200, after=STILL_THINKING_S)
            post_json(server.base, "client/orderCreate", make_order("KILLED-1"), admin)
            eventually(lambda: len(receiver.received) == 1, server)
            server.kill()
        let_leases_run_out(url)
        with make_server(tmp_path, url, private_webhooks=1) as server:
            eventually(lambda: len(receiver.received) == 2, server)
            eventually(lambda: query_rows(url, "SELECT status FROM webhook_delivery") == [("delivered",)], server)
    first, second = receiver.received
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)
    assert second.signed_with(secret)
    assert json.loads(second.body)["data"]["order"]["order_ref"] == "KILLED-1"
