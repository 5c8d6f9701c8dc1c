"""Webhooks: what happens is posted to the addresses that a client gave, signed, tried again, logged and repeatable.

Words: endpoint (an address and the events it wants), message (one event, under one id at every endpoint), delivery (a message
for one endpoint; its id is the delivery-log id), attempt (one request).
"""
