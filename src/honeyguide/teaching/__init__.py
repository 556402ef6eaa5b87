"""Teaching: choosing questions about pages, getting answers, and fitting the relevance model to them."""
