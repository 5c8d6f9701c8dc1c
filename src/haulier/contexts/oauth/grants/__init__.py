"""Agents that people connect by a link: an authorisation server (OAuth 2.1) whose tokens are access tokens of the platform.

Words: agent (an OAuth client, a program that acts for a person), grant (what a person let an agent do, from the consent until
it ends), code (what the agent exchanges once for its tokens), refresh token (what it gets new access tokens with).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.OAUTH
