"""Read replicas: the router, the lag monitor and the view decorator.

A view that does not opt in reads from the primary.
"""
