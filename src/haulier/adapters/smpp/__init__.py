"""SMS over SMPP 3.4, with a persistent connection to a message centre.

The session is implemented here on asyncio for two reasons: a reply must be stored before it is acknowledged to the message
centre, and unsent messages must be distinguished from messages in an unknown state (docs/decisions/messaging.md).
"""
