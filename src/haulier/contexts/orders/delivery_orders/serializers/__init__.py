"""Serializers."""
