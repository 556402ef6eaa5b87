"""guide, the default strategy: weighs all evidence for a link and learns during the crawl which of it to trust.

`texts` lists the texts that stand for a link and `evidence` scores them when a page is read; `features` lists what a
promise is made from; `queue` learns from the pages that were fetched and sets priorities. A new feature is one entry of
`texts.TEXT_FEATURES` or `features.STATE_FEATURES`.
"""
