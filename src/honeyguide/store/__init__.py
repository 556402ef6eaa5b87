"""What is kept: the WARC files, the crawl database, exports, the report."""
