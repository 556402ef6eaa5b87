"""What is kept: written, read back, shown."""
