"""One crawl on several machines: shards that own registered domains, and a coordinator that hands out the budget."""
