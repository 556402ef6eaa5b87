"""guide, the default strategy: weighs all evidence for a link, and learns during the crawl which evidence to trust.

`texts` lists the texts that describe a link, and `evidence` scores them when a page is read; `features` lists the
features that promises are computed from; `queue` learns from the fetched pages and sets priorities. A new feature is
one entry of `texts.TEXT_FEATURES` or `features.STATE_FEATURES`.
"""
