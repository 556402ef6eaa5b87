"""What a document is: decoding, words and links, URLs and scope."""
