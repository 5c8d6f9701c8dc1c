"""MQTT 5 over WebSockets, spoken by the server itself: a device needs no broker, and no ticket.

Its password is its credential; name and client identifier may be anything. It publishes to its own topics and listens to its
own, and to no others: this is no broker between programs. Nothing is kept between two connections, as nothing has to be.
"""

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from haulier.api.devices.frames import FrameInterface

PATH, SUBPROTOCOL = "/api/v1/device/mqtt", "mqtt"


def mqtt_route(interface: FrameInterface, prefix: str) -> WebSocketRoute:
    """The route of devices that speak MQTT 5 to this server. `prefix` is the first level of every topic."""

    async def endpoint(socket: WebSocket) -> None:
        # Why here: the codec of packets is had when the first device comes.
        from haulier.api.devices.mqtt_lines import GONE, PacketLine, serve_line

        offered = socket.scope.get("subprotocols", [])
        await socket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
        try:
            await serve_line(interface, PacketLine(socket), prefix)
            await socket.close()
        except GONE:
            return

    return WebSocketRoute(PATH, endpoint)
