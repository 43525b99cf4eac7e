"""Entry points of the processes: server, WebSocket server, embedded site and release step.

Requests are handled in `config.http`.
"""
