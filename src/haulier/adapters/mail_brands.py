"""Implementation of the identity port for brands in emails."""

from haulier.contexts.recipients.public import load_mail_brand
from haulier.kernel.application import Application
from haulier.rendering.mail import MailBrand


class StoredMailBrands:
    """Brands as the businesses set them for recipients."""

    async def find(self, app: Application, client_id: int) -> MailBrand:
        """Return the brand of a business."""
        async with app.database.read(client_id) as work:
            return await load_mail_brand(work, client_id)
