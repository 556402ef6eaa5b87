"""Fetching: HTTP, robots.txt rules, the address guard, decoding."""
