"""Operations on order chats: messages."""

from haulier.contexts.chat.order_chat import store
from haulier.contexts.chat.order_chat.actions import (
    CHAT_CHANNEL,
    PostedMessage,
    mark_read,
    mute,
    post_content,
    post_photo,
    publish_chat_changed,
    report_message,
    resolve_report,
)
from haulier.contexts.chat.order_chat.contract import (
    BlockChatRole,
    ChatMessageAnswer,
    ChatMessageList,
    ChatReportAnswer,
    ChatReportList,
    ChatSettings,
    ListChatMessages,
    ListChatReports,
    ListOrderChats,
    MarkChatRead,
    MuteOrderChat,
    OrderChatAnswer,
    OrderChatList,
    OrderChatRef,
    OwnReplyRecord,
    ReportChatMessage,
    ReportStatus,
    ResolveChatReport,
    SendChatMessage,
    SendChatPhoto,
    SetChatSettings,
)
from haulier.contexts.chat.order_chat.queries import (
    ChatVisit,
    load_chat,
    load_chats,
    load_config,
    load_messages,
    load_reports,
    visit_chat,
)
from haulier.contexts.chat.order_chat.rules import (
    BUILT_IN,
    CHAT_BLOCKED,
    CHAT_CLOSED,
    QUICK_REPLY_UNKNOWN,
    REPORT_RESOLVED,
    ChatRole,
)
from haulier.contexts.chat.order_chat.serializers import list_built_in, serialize_messages
from haulier.contexts.chat.order_chat.store import ChatReportRow
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import EmptyRequest, EventStream, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Feature, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

CHATS_PATH = "/v1/order-chats"
CHAT_PATH = f"{CHATS_PATH}/{{order_id}}"
SEND_LIMITS = (RateLimit(60, 60, ("user", "order_id")),)
MESSAGES_STREAM = EventStream(
    f"{CHAT_PATH}/stream", CHAT_CHANNEL, "order_id", "messages", {"order": "oldest"}, of_client=True
)


@reads(
    "list_order_chats",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    interfaces=(Rest("GET", CHATS_PATH), GraphQL("orderChats")),
)
async def list_order_chats(call: Call, request: ListOrderChats) -> OrderChatList:
    """List order chats.

    Results are ordered by newest message and include unread counts. Staff see all chats. Other users see chats in
    which they were participants, or those of the orders they name. For them, and with `unread`, only the 500 most
    recent chats are searched.
    """
    return await load_chats(call, request)


@reads(
    "get_order_chat",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", CHAT_PATH), GraphQL("orderChat")),
)
async def get_order_chat(call: Call, request: OrderChatRef) -> OrderChatAnswer:
    """Get the chat of an order.

    Shows if the caller can write and until when, unread messages, read marks and quick replies.
    """
    return OrderChatAnswer(chat=await load_chat(await visit_chat(call, request.order_id)))


@reads(
    "list_chat_messages",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{CHAT_PATH}/messages", event_stream=MESSAGES_STREAM), GraphQL("chatMessages")),
)
async def list_chat_messages(call: Call, request: ListChatMessages) -> ChatMessageList:
    """List the messages of an order's chat.

    Pages back from the newest message, or forward from a cursor. At `/stream` instead of `/messages`, new messages
    are pushed as server-sent events. A message is never changed, but its marks are, and staff can hide it.
    """
    return await load_messages(await visit_chat(call, request.order_id), request)


@writes(
    "send_chat_message",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    errors=(NOT_FOUND, CHAT_CLOSED, CHAT_BLOCKED, QUICK_REPLY_UNKNOWN, CLIENT_KEY_REUSED),
    interfaces=(Rest("POST", f"{CHAT_PATH}/messages"), GraphQL("sendChatMessage")),
)
async def send_chat_message(call: Call, request: SendChatMessage) -> ChatMessageAnswer:
    """Send a message in an order's chat.

    Sends a text, a quick reply or a location to all participants. A repeat under the same `client_ref` returns the
    same message. Messages can be sent for some hours after the end of the order.
    """
    visit = await visit_chat(call, request.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return await answer_posted(visit, await post_content(visit, request))


@writes(
    "send_chat_photo",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(NOT_FOUND, CHAT_CLOSED, CHAT_BLOCKED, CLIENT_KEY_REUSED),
    interfaces=(Rest("POST", f"{CHAT_PATH}/photos"), GraphQL("sendChatPhoto")),
)
async def send_chat_photo(call: Call, request: SendChatPhoto) -> ChatMessageAnswer:
    """Send a photo in an order's chat.

    Users with access to the order can open it as a file. A repeat under the same `client_ref` returns the same
    message.
    """
    visit = await visit_chat(call, request.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return await answer_posted(visit, await post_photo(visit, request, request.client_ref))


@writes(
    "mark_chat_read",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PUT", f"{CHAT_PATH}/marks"), GraphQL("markChatRead")),
)
async def mark_chat_read(call: Call, request: MarkChatRead) -> OrderChatAnswer:
    """Mark chat messages as delivered or read.

    Messages read by one dispatcher count as read by all dispatchers. A mark never goes back, and never beyond the
    last message.
    """
    visit = await visit_chat(call, request.order_id)
    await mark_read(visit, request)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


@writes(
    "mute_order_chat",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PUT", f"{CHAT_PATH}/mute"), GraphQL("muteOrderChat")),
)
async def mute_order_chat(call: Call, request: MuteOrderChat) -> OrderChatAnswer:
    """Mute the chat of an order.

    No pushes are sent until the given time. Messages still arrive and count as unread.
    """
    visit = await visit_chat(call, request.order_id)
    await mute(visit, request.until)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


async def answer_posted(visit: ChatVisit, posted: PostedMessage) -> ChatMessageAnswer:
    """Return a message as its sender sees it."""
    (message,) = await serialize_messages(visit.call, visit.party, [posted.row], posted.participants)
    return ChatMessageAnswer(message=message, duplicate=posted.duplicate)


REPORTS_PATH = "/v1/order-chat-reports"
SETTINGS_PATH = "/v1/order-chat-settings"


@writes(
    "report_chat_message",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(30, 3600, ("user",)),),
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{CHAT_PATH}/reports"), GraphQL("reportChatMessage")),
)
async def report_chat_message(call: Call, request: ReportChatMessage) -> Done:
    """Report a chat message to staff.

    A second report of the same message by the same user changes nothing.
    """
    visit = await visit_chat(call, request.order_id)
    await report_message(visit, request.message_id, request.reason.value, request.note)
    call.add_audit_subjects("order", visit.order_id)
    return Done(message=call.translate("chat_message_reported"))


@reads(
    "list_chat_reports",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    interfaces=(Rest("GET", REPORTS_PATH), GraphQL("chatReports")),
)
async def list_chat_reports(call: Call, request: ListChatReports) -> ChatReportList:
    """List reported chat messages.

    Results are ordered newest report first.
    """
    rows, total = await store.list_reports(
        call.work,
        request.status.value if request.status else None,
        limit=request.per_page,
        offset=request.offset,
    )
    reports = await load_reports(call, rows)
    return ChatReportList(**total_fields(total), page=request.page, per_page=request.per_page, reports=reports)


@writes(
    "resolve_chat_report",
    available_when={"status": ReportStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND, REPORT_RESOLVED),
    interfaces=(Rest("POST", f"{REPORTS_PATH}/{{report_id}}/resolve"), GraphQL("resolveChatReport")),
)
async def resolve_chat_report(call: Call, request: ResolveChatReport) -> ChatReportAnswer:
    """Resolve a chat report.

    Hides the message with its photo, or dismisses the report. The sender can also be blocked in this chat.
    """
    row = await ChatReportRow.lock(call.work, request.report_id)
    if row is None:
        raise record_not_found(report_id=request.report_id)
    if row.status != ReportStatus.OPEN:
        raise REPORT_RESOLVED(status=row.status)
    await resolve_report(call, row, hide=request.hide, block=request.block)
    call.add_audit_subjects("order", row.order_id)
    row = await ChatReportRow.get(call.work, request.report_id)
    assert row
    return ChatReportAnswer(report=(await load_reports(call, [row]))[0])


@writes(
    "block_chat_role",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PUT", f"{CHAT_PATH}/block"), GraphQL("blockChatRole")),
)
async def block_chat_role(call: Call, request: BlockChatRole) -> OrderChatAnswer:
    """Block or unblock an order chat participant.

    Applies to the customer, recipient, driver or contractor. Blocked participants can still read.
    """
    if request.role is ChatRole.DISPATCHER:
        raise INVALID_REQUEST.for_fields(FieldError("role", "field.chat_role_not_blocked"))
    visit = await visit_chat(call, request.order_id)
    thread = await store.lock_thread(call.work, visit.order_id, call.now)
    await store.block_role(call.work, thread.id, request.role, call.now if request.blocked else None)
    await publish_chat_changed(call, visit.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


@reads(
    "get_chat_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    feature=Feature.ORDER_CHAT,
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("chatSettings")),
)
async def get_chat_settings(call: Call, request: EmptyRequest) -> ChatSettings:
    """Get the chat settings.

    Shows how long messages can be sent after the end of an order, and the quick replies.
    """
    return await _settings(call)


@writes(
    "set_chat_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    feature=Feature.ORDER_CHAT,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setChatSettings")),
)
async def set_chat_settings(call: Call, request: SetChatSettings) -> ChatSettings:
    """Set the chat settings.

    Sets how long messages can be sent after the end of an order, and the business's own quick replies. Sent quick
    replies do not change.
    """
    codes = [reply.code for reply in request.quick_replies]
    for place, code in enumerate(codes):
        if code in BUILT_IN or code in codes[:place]:
            raise INVALID_REQUEST.for_fields(FieldError(f"quick_replies.{place}.code", "field.quick_reply_taken"))
    replies = [reply.model_dump(mode="json") for reply in request.quick_replies]
    values = {"grace_hours": request.grace_hours, "quick_replies": replies, "updated_at": call.now}
    await store.upsert_chat_settings(call.work, values)
    call.add_audit_subjects("client", call.client_id)
    return await _settings(call)


async def _settings(call: Call) -> ChatSettings:
    config = await load_config(call)
    own = [
        record(OwnReplyRecord, reply, texts=dict(reply.texts), roles=[ChatRole(role) for role in reply.roles])
        for reply in config.quick_replies
    ]
    return ChatSettings(grace_hours=config.grace_hours, quick_replies=own, built_in=list_built_in(call))
