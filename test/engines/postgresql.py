"""Tests the statements of `addrsift engines show postgresql` in psql, also with addrsift killed: a failed statement leaves no file with the
final name, and no row in the table."""

import os
import re
import subprocess

from rows import BOOLEANS, COUNT, FIELDS, FOLDER, check_by_id, expected, fails, holds, killed_once, odd_rows, recipe, save, time_one_process
from rows import timed, tsv

rows = odd_rows(without="\0")
wanted = list(enumerate(expected([email for _, email in rows])))
time_one_process(rows)
files = os.path.join(FOLDER, "srv")
os.mkdir(files)
# The server runs as another user, who must be able to write here.
os.chmod(files, 0o777)
checked = os.path.join(files, "checked.tsv")
text = recipe("postgresql.sql").replace("/srv/", f"{files}/")
export, rename, create_table, import_file, import_program = re.findall(r"^(?:COPY|CREATE)(?:.|\n)*?;$", text, re.M)
stop = re.search(r"^\\set ON_ERROR_STOP on$", text, re.M).group(0)


def sql(*statements):
    process = subprocess.run(["psql", "-qAtX"], input="\n".join([stop, *statements]), text=True, capture_output=True)
    if process.returncode != 0:
        raise RuntimeError(process.stderr)
    return process.stdout.strip()


UNESCAPED = {"t": "\t", "n": "\n", "r": "\r"}


def value(name, field):
    if field == "\\N":
        return None
    if name in BOOLEANS:
        return {"true": True, "t": True, "false": False, "f": False}[field]
    return re.sub(r"\\(.)", lambda found: UNESCAPED.get(found[1], found[1]), field)


def read(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            i, _, *fields = line[:-1].split("\t")
            verdict = tuple(map(value, FIELDS, fields))
            # A null address has only null fields.
            yield int(i), None if verdict[0] is None else verdict


def read_table():
    path = os.path.join(files, "table.tsv")
    sql(f"COPY checked TO '{path}';")
    return read(path)


def killed_in(statement, mark):
    words, killed = killed_once(mark)
    return statement.replace("addrsift detect", f"{' '.join(words)} addrsift detect"), killed


# The server's user creates the marks here.
os.chmod(FOLDER, 0o777)
sql("CREATE TABLE customers (id bigint, email text);", f"\\copy customers FROM '{save('customers.tsv', tsv(rows))}'")

for event, statement, killed in [
    ("addrsift is killed", *killed_in(export, "out")),
    ("the query fails", export.replace("SELECT id,", f"SELECT 1 / ({COUNT - 2} - id),"), lambda: True),
]:
    fails(f"COPY TO PROGRAM when {event}", lambda: sql(statement, rename))
    holds("a failed COPY TO PROGRAM leaves no file with the final name", killed() and not os.path.exists(checked))
    holds("a failed COPY TO PROGRAM leaves a partial file", os.path.getsize(f"{checked}.part") > 0)
timed("COPY TO PROGRAM", lambda: sql(export, rename))
check_by_id("COPY TO PROGRAM", read(checked), wanted)

sql(create_table, import_file)
check_by_id("COPY FROM", read_table(), wanted)
sql("TRUNCATE checked;", f"COPY (SELECT id, email FROM customers) TO '{files}/customers.tsv';")
statement, killed = killed_in(import_program, "in")
fails("COPY FROM PROGRAM when addrsift is killed", lambda: sql(statement))
holds("a failed COPY FROM PROGRAM leaves no row", killed() and sql("SELECT count(*) FROM checked;") == "0")
timed("COPY FROM PROGRAM", lambda: sql(import_program))
check_by_id("COPY FROM PROGRAM", read_table(), wanted)
