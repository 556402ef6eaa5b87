"""Reports as one HTML file that needs nothing else: markup, charts, numbers in words, and the page around them."""
