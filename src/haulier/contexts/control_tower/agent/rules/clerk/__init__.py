"""The clerk: answers what dispatchers ask most without a model, by patterns over the same tools. It says when it does not
understand."""
