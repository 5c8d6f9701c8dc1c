"""Business contexts: one package per context, one folder per family."""
