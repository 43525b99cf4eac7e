"""Archives of a whole site: every row of the database in one file that any kind of database can take back.

An archive is a zip file. `archive.json` names the release and the newest migration of each app, and counts the rows.
Each table has a member of JSON lines, `<app>.<Model>.jsonl`: first the columns, then a row a line. A restore migrates
an empty database to the archive's migrations, inserts the rows, and migrates on, so that any later release can read it.
"""
