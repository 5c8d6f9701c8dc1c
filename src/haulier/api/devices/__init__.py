"""The doors of devices that keep a connection, over MQTT or WebSocket. Each frame becomes one call of an operation."""
