"""Webhooks: signed events for clients' addresses, retried, logged, replayable.

From an event to a receiver, in this order:

1. collect (`actions/collect.py`), before the commit of a transaction that published events: reads the client's enabled
   endpoints, and enqueues one job `webhooks.fan_out` with the events that some endpoint subscribed to.
2. fan_out (`jobs/fan_out.py`): reads the endpoints and, as each endpoint's reader, the order or timeline that an event is
   about. Writes one delivery for each message and endpoint, and enqueues `webhooks.deliver` for each subject and endpoint.
3. deliver (`jobs/deliver.py`): reads a delivery with its endpoint, signs and posts it outside any transaction, and writes
   the attempt. `rules/retries.py` decides what comes next: delivered, a retry (the same job at a later time), or failed.
4. notify (`notifications.py`): after an endpoint was disabled, an email to each admin.
5. retention (`control_tower/retention`, as the store declares): deletes deliveries that are older than the log is kept.

Terms: endpoint (an address and the events it subscribed to), message (one event under one id, the same at every
endpoint), delivery (a message for one endpoint; its id is the delivery-log id), attempt (one request).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.WEBHOOKS
