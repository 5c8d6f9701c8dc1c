"""WebSocket protocol for uvicorn, with pings for plain frames only."""

from collections.abc import Mapping
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from haulier.api.devices.frames import PACKET_MAX_BYTES
from haulier.api.devices.mqtt import PATH


class DeviceWebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol without pings on MQTT connections.

    paho, which many devices use, answers pings without the mask that RFC 6455 (section 5.1) requires. The server would
    have to close the connection (1002) at the first ping. MQTT has its own keep alive.
    """

    def start_keepalive(self) -> None:
        """Start pings, except on MQTT connections."""
        if self.scope["path"] != PATH:
            super().start_keepalive()


WEB_SOCKETS: Mapping[str, Any] = {"ws": DeviceWebSocketProtocol, "ws_max_size": PACKET_MAX_BYTES}
"""WebSocket options for uvicorn. The largest message is one MQTT packet."""
