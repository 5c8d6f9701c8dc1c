"""MQTT 5 over WebSockets, served without a broker or a ticket.

The password is the credential; user name and client identifier are ignored. A device can only publish and subscribe to
its own topics. No session state is stored between connections.
"""

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from haulier.api.devices.frames import FrameInterface

PATH, SUBPROTOCOL = "/api/v1/device/mqtt", "mqtt"


def mqtt_route(interface: FrameInterface, prefix: str) -> WebSocketRoute:
    """Return the route for MQTT 5. `prefix` is the first level of every topic."""

    async def endpoint(socket: WebSocket) -> None:
        # Import on first use: servers without MQTT devices don't need the packet codec.
        from haulier.api.devices.mqtt_lines import GONE, PacketLine, serve_line

        offered = socket.scope.get("subprotocols", [])
        await socket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
        try:
            await serve_line(interface, PacketLine(socket), prefix)
            await socket.close()
        except GONE:
            return

    return WebSocketRoute(PATH, endpoint)
