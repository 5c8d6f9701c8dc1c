"""Quick replies: sentences that everybody reads in their own language, those of the platform and those of a business."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.contexts.chat.order_chat.rules.threads import GRACE_HOURS

_OUTSIDE = (ChatRole.CUSTOMER, ChatRole.RECIPIENT)
_OFFICE = (ChatRole.DISPATCHER, ChatRole.CONTRACTOR)
BUILT_IN: Mapping[str, tuple[ChatRole, ...]] = {
    "on_my_way": (ChatRole.DRIVER,),
    "running_late": (ChatRole.DRIVER, *_OFFICE),
    "at_the_door": (ChatRole.DRIVER,),
    "cannot_find_entrance": (ChatRole.DRIVER,),
    "coming_to_the_door": _OUTSIDE,
    "leave_at_the_door": _OUTSIDE,
    "not_at_home": _OUTSIDE,
    "looking_into_it": _OFFICE,
    "thank_you": tuple(ChatRole),
}
"""The platform's own, by their code, and who is offered them. Their texts are messages `quick_reply.<code>`."""


class OwnQuickReply(Struct, frozen=True):
    """A sentence of a business, by language, and who is offered it."""

    code: str
    texts: Mapping[str, str]
    roles: Sequence[str]


class ChatConfig(Struct, frozen=True):
    """How a business chats."""

    grace_hours: int = GRACE_HOURS
    quick_replies: tuple[OwnQuickReply, ...] = ()


def text_in(texts: Mapping[str, str], language: str, fallback: str) -> str:
    """The text for a reader: in their language, else in the business's, else in English, else in any that there is."""
    for name in (language, fallback, "en"):
        if name in texts:
            return texts[name]
    return next(iter(texts.values()), "")
