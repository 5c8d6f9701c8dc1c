"""Connected agents: an authorisation server (OAuth 2.1) that issues access tokens.

Terms: agent (an OAuth client, a program that acts for a user), grant (rights of an agent, from the consent until it
ends), code (exchanged once for tokens), refresh token (renews access tokens).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.OAUTH
