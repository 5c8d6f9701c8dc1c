"""Device interfaces over MQTT and WebSocket.

Each frame becomes one call of an operation.
"""
