"""From a URL to a response: HTTP, robots.txt rules, the address guard, decoding."""
