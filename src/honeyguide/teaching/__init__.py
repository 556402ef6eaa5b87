"""Teaching: which pages to ask about, who answers, and what the relevance model learns from it."""
