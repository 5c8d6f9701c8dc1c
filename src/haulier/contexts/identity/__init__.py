"""Access: who may come in, as whom, and who else must agree.

Words: client (the business that runs on the platform), user, account (the kind of a user), token, session, scope, profile.
"""
