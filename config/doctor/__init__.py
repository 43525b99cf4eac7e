"""The doctor: names the cause of each fault of the site in one sentence, with the command that repairs it.

`manage.py doctor` runs all checks (`check_list`), the staff's first page the quick ones. A check is a function that
yields what it finds. docs/runbook.md lists the faults that cannot be seen from inside.
"""
