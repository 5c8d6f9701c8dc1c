"""Integrations: programs of clients and their webhooks.

Terms: tool (an operation as agents see it), endpoint (an operation as REST has it), skill (the file that teaches an
agent to work with this platform), guide.
"""
