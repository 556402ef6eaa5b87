"""Comparing strategies on a web that stands still: virtual webs, replay, judges, metrics, statistics, reports."""
