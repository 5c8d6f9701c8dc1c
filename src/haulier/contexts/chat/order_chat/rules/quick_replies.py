"""Quick replies of the platform and of a business, in each reader's language."""

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
"""Quick replies of the platform by code, with their roles. Texts are messages `quick_reply.<code>`."""


class OwnQuickReply(Struct, frozen=True):
    """Quick reply of a business, by language, with its roles."""

    code: str
    texts: Mapping[str, str]
    roles: Sequence[str]


class ChatConfig(Struct, frozen=True):
    """Chat settings of a business."""

    grace_hours: int = GRACE_HOURS
    quick_replies: tuple[OwnQuickReply, ...] = ()


def text_in(texts: Mapping[str, str], language: str, fallback: str) -> str:
    """Return the text in a reader's language.

    Falls back to the business's language, English, and then any language.
    """
    for name in (language, fallback, "en"):
        if name in texts:
            return texts[name]
    return next(iter(texts.values()), "")
