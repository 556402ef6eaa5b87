"""What faults cost a crawl: power cuts."""
