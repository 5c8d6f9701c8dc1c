"""WebSockets under uvicorn: the server pings plain frames, and leaves MQTT, which has a keep alive of its own, alone."""

from collections.abc import Mapping
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from haulier.api.devices.frames import PACKET_MAX_BYTES
from haulier.api.devices.mqtt import PATH


class DeviceWebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol, without pings on a connection that speaks MQTT.

    paho, which many devices have, answers a ping without the mask that RFC 6455 (5.1) asks of clients, and a server has to
    end such a connection (1002): each would last until its first ping. MQTT notices by itself that a device fell silent.
    """

    def start_keepalive(self) -> None:
        """Ping from now on, where nothing else notices a line that is dead."""
        if self.scope["path"] != PATH:
            super().start_keepalive()


WEB_SOCKETS: Mapping[str, Any] = {"ws": DeviceWebSocketProtocol, "ws_max_size": PACKET_MAX_BYTES}
"""How uvicorn serves WebSockets: its options. The longest message is the longest frame with what MQTT says about it."""
