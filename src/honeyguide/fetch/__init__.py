"""From a URL to an answer: HTTP, robots rules, the guard, retries."""
