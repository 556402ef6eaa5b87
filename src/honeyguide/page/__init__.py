"""Web pages: decoding, words and links, URLs and scope."""
