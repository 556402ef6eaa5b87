"""Comparing strategies on static webs: virtual webs, replay, judges, metrics, statistics, reports."""
