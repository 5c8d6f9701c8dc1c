"""Texts over SMPP 3.4: a lasting connection to a provider's message centre.

# Why our own session over asyncio: a text that somebody answers with must be stored before the centre is told that we have it,
# and what was certainly not sent must be told from what nobody knows (docs/decisions/messaging.md).
"""
