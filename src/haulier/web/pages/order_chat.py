"""Chat of an order: a page for signed-in users, a part of the recipient's page."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.chat.order_chat.operations.messages import (
    MESSAGES_STREAM,
    get_order_chat,
    list_chat_messages,
    mark_chat_read,
    mute_order_chat,
    report_chat_message,
    send_chat_message,
    send_chat_photo,
)
from haulier.contexts.chat.order_chat.operations.recipients import (
    get_delivery_chat,
    get_delivery_chat_photo,
    list_delivery_push_devices,
    mark_delivery_chat_read,
    register_delivery_push_device,
    remove_delivery_push_device,
    report_delivery_chat_message,
    send_delivery_chat_message,
    send_delivery_chat_photo,
)
from haulier.contexts.documents.files.operations import get_file
from haulier.kernel.application import Application
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.web.i18n import page_translator
from haulier.web.operations_client import Refused, call_with_body, call_with_texts, read_body
from haulier.web.pages.deliveries import ACCESS_COOKIE, kept_by_nobody
from haulier.web.pages.push_alerts import ALERT_WORDS, CHAT_PREFIX, push_alert_routes
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import PAGE_SECURITY_HEADERS, render_page
from haulier.web.script_calls import answer_script, script_words
from haulier.web.session import app_of, csrf_token_of, current_session, is_from_our_page
from haulier.web.sse import stream_states

ORDER_OPERATIONS: tuple[Operation[Any, Any], ...] = (
    *(get_order_chat, list_chat_messages, send_chat_message, send_chat_photo),
    *(mark_chat_read, mute_order_chat, report_chat_message),
)
DELIVERY_OPERATIONS: tuple[Operation[Any, Any], ...] = (
    *(get_delivery_chat, send_delivery_chat_message, send_delivery_chat_photo),
    *(mark_delivery_chat_read, report_delivery_chat_message),
    *(list_delivery_push_devices, register_delivery_push_device, remove_delivery_push_device),
)
_OF_ORDERS = {operation.name: operation for operation in ORDER_OPERATIONS}
_OF_DELIVERIES: Mapping[str, Operation[Any, Any]] = {operation.name: operation for operation in DELIVERY_OPERATIONS}


def module_routes(_: Application) -> list[BaseRoute]:
    """`/orders/{order_id}/chat`, the chat of the tracking page, and `/push`."""
    chat, delivery = "/orders/{order_id:int}/chat", "/track/{number}/chat"
    return [
        Route(chat, show_order_chat),
        Route(f"{chat}/stream", chat_stream),
        Route(f"{chat}/photos/{{file_id:int}}", show_chat_photo),
        Route(f"{chat}/ask/{{operation}}", call_chat_operation, methods=["POST"]),
        Route(f"{delivery}/photos/{{message_id:int}}", show_delivery_chat_photo),
        Route(f"{delivery}/ask/{{operation}}", call_delivery_operation, methods=["POST"]),
        *push_alert_routes(),
    ]


async def show_order_chat(request: Request) -> Response:
    """The page; its script fetches the messages."""
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return redirect_to_sign_in(request)
    order_id = request.path_params["order_id"]
    result = await call_with_texts(request, get_order_chat, {"order_id": str(order_id)}, session=session)
    if isinstance(result, Refused):
        words = {"title": say(f"{CHAT_PREFIX}title"), "text": result.message}
        return render_page(request, "notice.html", status_code=result.status, session=session, **words)
    words = script_words(request, {"": CHAT_PREFIX})
    page = render_page(request, "order_chat.html", session=session, order_id=order_id, chat_words=words)
    return kept_by_nobody(page)


async def call_chat_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for the script of a page of the session."""
    return await answer_script(request, _OF_ORDERS.get(request.path_params["operation"]))


async def chat_stream(request: Request) -> Response:
    """Stream the chat as its reader sees it whenever it changes."""
    session, order_id = await current_session(request), request.path_params["order_id"]
    if session is None:
        return Response(status_code=401)

    async def state() -> str | None:
        result = await call_with_texts(request, get_order_chat, {"order_id": str(order_id)}, session=session)
        return None if isinstance(result, Refused) else codec.encode_json(result.answer).decode()

    return await stream_states(
        app_of(request), MESSAGES_STREAM.channel, client_subject(session.client_id, order_id), state
    )


async def show_chat_photo(request: Request) -> Response:
    """Return a chat photo to callers who may see the order."""
    session = await current_session(request)
    texts = {"file_id": str(request.path_params["file_id"])}
    result = await call_with_texts(request, get_file, texts, session=session)
    return Response(status_code=404) if isinstance(result, Refused) else _picture(result.answer)


async def call_delivery_operation(request: Request) -> Response:
    """Call an operation for the delivery opened on the tracking page."""
    operation, say = _OF_DELIVERIES.get(request.path_params["operation"]), page_translator(request)
    access = request.cookies.get(ACCESS_COOKIE)
    if operation is None:
        return _json({"message": say("not_found")}, 404)
    genuine = access and is_from_our_page(request) and request.headers.get("x-csrf") == csrf_token_of(access)
    if not genuine:
        return _json({"message": say("track.told_ended")}, 401)
    try:
        said = json.decode(await read_body(request, operation.body_limit_bytes), type=dict[str, Any])
    except DecodeError:
        said = {}
    body = json.encode({**said, "access": access})
    result = await call_with_body(request, operation, body)
    document = result.error if isinstance(result, Refused) else result.answer
    return _json(document, result.status)


async def load_delivery_part(request: Request) -> dict[str, Any]:
    """The words of the chat of an opened delivery; nothing without a chat."""
    texts = {"access": request.cookies.get(ACCESS_COOKIE, ""), "limit": "1"}
    result = await call_with_texts(request, get_delivery_chat, texts)
    return (
        {} if isinstance(result, Refused) else {"chat_words": script_words(request, {"": CHAT_PREFIX, **ALERT_WORDS})}
    )


async def show_delivery_chat_photo(request: Request) -> Response:
    """A photo of a chat, for the recipient who has opened the delivery."""
    texts = {"access": request.cookies.get(ACCESS_COOKIE, ""), "message_id": str(request.path_params["message_id"])}
    result = await call_with_texts(request, get_delivery_chat_photo, texts)
    return Response(status_code=404) if isinstance(result, Refused) else _picture(result.answer)


def _picture(file: Any) -> Response:
    content = b64decode(file.content)
    return kept_by_nobody(Response(content, media_type=file.media_type, headers=PAGE_SECURITY_HEADERS))


def _json(document: Any, status: int) -> Response:
    headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-store"}
    return Response(codec.encode_json(document), status, headers, media_type="application/json")
