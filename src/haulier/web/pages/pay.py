"""The page behind a payment link: somebody without an account sees what is due and pays it by card.

The link stands in the fragment of the address, which browsers do not send; the script of the page shows it in a body.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.payments.payment_links.operations import begin_linked_payment, get_payment_link
from haulier.contexts.payments.public import PaymentProviderDirectory
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_anybody, find_operation, script_words
from haulier.web.session import app_of

PAY_OPERATIONS = frozenset(
    {
        get_payment_link.name,
        begin_linked_payment.name,
        "get_linked_shop_purchase",
        "begin_linked_shop_payment",
        "renew_linked_shop_code",
    }
)
"""What the script of the page may call. Each call shows the link; no cookie counts."""


def pay_routes() -> list[BaseRoute]:
    """`/pay` and the calls of its script."""
    return [
        Route("/pay", pay_page, methods=["GET"]),
        Route("/pay/ask/{operation}", call_pay_operation, methods=["POST"]),
    ]


async def pay_page(request: Request) -> Response:
    """The page; its script asks what is due. Only here scripts and frames of the payment provider are let in."""
    sources = " ".join(app_of(request).adapter(PaymentProviderDirectory).page_sources)
    response = render_page(request, "pay.html", words=script_words(request, {"": "pay."}))
    policy = response.headers["Content-Security-Policy"]
    of_provider = "; ".join(f"{kind} 'self' {sources}" for kind in ("script-src", "frame-src", "connect-src"))
    response.headers["Content-Security-Policy"] = f"{policy}; {of_provider}"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


async def call_pay_operation(request: Request) -> Response:
    """The answer of an operation for whoever has a link, which stands in the body."""
    return await answer_anybody(request, find_operation(request, PAY_OPERATIONS))
