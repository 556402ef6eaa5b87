"""Queues: what a page that was read does to the frontier. The half of a strategy that remembers."""
