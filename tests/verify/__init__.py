"""The browser's verification checks, run in Node."""
