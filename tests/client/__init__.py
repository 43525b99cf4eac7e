"""Tests of the client's modules in Node, without a browser."""
