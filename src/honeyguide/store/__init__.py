"""A crawl on disk: the WARC files, the crawl database, exports, the report."""
