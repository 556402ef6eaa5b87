"""Watching a crawl in a browser: a local web page, live while the crawl runs and the same afterwards."""
