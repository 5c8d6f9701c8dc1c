"""The status vocabularies of carriers and aggregators on the way in: what their codes mean in the protocol's words.

One table (TOML) a carrier, no code a carrier. Three rules hold in all of them:

- A code without a sure counterpart takes the generic code of its phase; nothing finer is invented.
- A code is terminal only when the parcel's journey is over for certain. A parcel that was refused or is sent back still
  travels, so a refusal is `delivery_failed` because `refused`, a return under way is `delivery_failed`, and only the
  hand-over to the sender is `returned`.
- Handed to a shop, a locker or a post office is `ready_for_collection`: the recipient does not have it yet.
"""

from haulier.contexts.tracking.otep.carriers.page import carriers_page
from haulier.contexts.tracking.otep.carriers.polling import seen
from haulier.contexts.tracking.otep.carriers.reading import Translated, known_carriers, translate

__all__ = ["Translated", "carriers_page", "known_carriers", "seen", "translate"]
