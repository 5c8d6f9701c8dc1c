"""What the business does: one package per context, one folder per family."""
