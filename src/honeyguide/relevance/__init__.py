"""What a text is worth: tokens, and the models that score spans of them."""
