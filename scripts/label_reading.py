"""Reading of a label by a demo server, shared by the checks of the label extras."""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scripts.stranger import LOGIN, ORDER, Unproved, serving

WAITS_S = 120


def read_label_of_the_demo() -> tuple[dict[str, Any], dict[str, Any]]:
    """Print and read a label of a new order; return result and order.

    Raises `Unproved` if it takes too long, or the bars do not contain the tracking number.
    """
    demo = (sys.executable, "-m", "haulier", "serve", "--demo")
    with tempfile.TemporaryDirectory() as name, serving(*demo, at=Path(name)) as visit:
        token = visit.call("user/login", dict(LOGIN))["access_token"]
        order = visit.call("client/orderCreate", {**ORDER, "order_ref": "LABEL-1"}, token)["order"]
        label = visit.call(f"orders/{order['id']}/label?format=png&piece=1", token=token)
        file = {"media_type": "image/png", "content": label["document"]}
        parsed = visit.call("ocr/labels", {"file": file}, token)["label_parse"]
        ends = time.monotonic() + WAITS_S
        while parsed["state"] == "queued":
            if time.monotonic() > ends:
                raise Unproved(f"nothing was read in {WAITS_S} s: {parsed}")
            time.sleep(0.2)
            parsed = visit.call(f"ocr/labels/{parsed['id']}", token=token)["label_parse"]
        visit.stop()
    if label["data"][0]["tracking_number"] not in [bars["text"] for bars in parsed["barcodes"]]:
        raise Unproved(f"the bars were not read: {parsed}")
    return parsed, order
