"""Requests and answers of SMS Marketing."""
