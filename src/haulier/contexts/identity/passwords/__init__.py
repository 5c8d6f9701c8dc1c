"""Lost passwords: a link by e-mail, once, for half an hour; nobody learns from us which addresses we know."""
