"""Whole crawls, from the outside: what they fetch, keep, and how they end."""
