"""A web shop's day in test mode: orders, labels, webhooks, pages and failures."""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue

from haulier_client import Haulier, InvalidRequest, WebhookRefused, types, verify_webhook

BASE, SHAKY, KEY = sys.argv[1:4]
messages: Queue[str] = Queue()
secret = ""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        try:
            message = verify_webhook(self.rfile.read(int(self.headers["Content-Length"])), self.headers, secret)
            messages.put(f"{message['event']} {message['data']['order']['order_ref']}")
            self.send_response(204)
        except WebhookRefused:
            self.send_response(401)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
there: types.OrderAddress = {"name": "Ann Lee", "address": "1 Bay St", "city": "Toronto", "country": "CA"}
with Haulier(BASE, KEY) as steady, Haulier(SHAKY, KEY) as shaky:
    hook: types.WebhookEndpointSettings = {
        "url": f"http://127.0.0.1:{receiver.server_port}",
        "events": ["order.created"],
    }
    secret = steady.webhooks.update_webhook_settings({"endpoints": [hook]})["endpoints"][0].get("secret", "")
    order = shaky.client.create_order({"order_ref": "DAY-0", "consignee": there})["order"]
    label = shaky.orders.print_local_label(order["id"], accept="application/pdf")
    moved = steady.client.advance_test_record({"order_id": order["id"], "to": "delivered"})["status"]
    for number in range(1, 8):
        shaky.client.create_order({"order_ref": f"DAY-{number}", "consignee": there})
    met: list[str] = []
    for each in shaky.orders.iter_orders(per_page=3):
        met.append(each["order_ref"] or "")
        if len(met) == 4:
            steady.client.create_order({"order_ref": "LATE", "consignee": there})
    try:
        steady.client.create_order({"order_ref": "DAY-9", "consignee": {**there, "country": "Canada"}})
        refused = ""
    except InvalidRequest as problem:
        refused = problem.field or ""
    told = sorted({messages.get(timeout=120) for _ in range(9)})
    shown = {"label": label[:4].decode(), "moved": moved, "met": sorted(met), "refused": refused, "told": told}
    print(json.dumps(shown))
os._exit(0)
