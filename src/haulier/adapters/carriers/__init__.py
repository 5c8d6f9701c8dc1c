"""Carriers behind the port of shipping: one module or package for each."""
