"""Lost networks, sleeping machines, hidden tabs and restarted servers, and what pages and players must make of them.

`relay` loses the network, `page_clock` sleeps, `hidden_tab` hides and wakes a page. `conftest.py` combines them: a test
that uses `visit` reaches the server through `relay`.
"""
