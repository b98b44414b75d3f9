"""Tests DuckDB and Polars over the class Addrsift: as in the manual page, with all fields, and with addrsift killed."""

import os
import signal
import threading

import duckdb
import polars as pl
import pyarrow as pa
from addrsift import FIELDS, Addrsift
from rows import BOOLEANS, COUNT, FOLDER, check, check_by_id, expected, fails, manual, odd_rows, time_one_process, timed, tuples

rows = odd_rows(without="\0")
wanted = expected([email for _, email in rows])
pairs = list(enumerate(wanted))
table = pa.table({"id": [i for i, _ in rows], "email": pa.array([email for _, email in rows], pa.string())})
time_one_process(rows)

names = {"table": pl.from_arrow(table)}
timed("Polars", lambda: exec(manual("pl.Series"), names))
# Polars may represent a null struct as a struct of nulls.
found = [None if v is None or set(v.values()) == {None} else v for v in names["checked"]["addrsift"].to_list()]
check("Polars", tuples(found), wanted)

os.chdir(FOLDER)
with duckdb.connect("shop.duckdb") as con:
    con.register("source_rows", table)
    con.sql("CREATE TABLE customers AS SELECT * FROM source_rows")
names = {}
exec(manual("duckdb.connect"), names)
found = names["con"].sql("SELECT id, v.disposable, v.normalized FROM (SELECT id, addrsift(email) AS v FROM customers) ORDER BY id")
check("the manual's function for DuckDB", found.fetchall(), [(i, v and v[7], v and v[1]) for i, v in pairs])
names["con"].close()
names["sift"].close()

with Addrsift() as sift:
    con = duckdb.connect()
    con.register("customers", table)
    verdict = con.type("STRUCT(" + ", ".join(f"{name} {'BOOLEAN' if name in BOOLEANS else 'VARCHAR'}" for name in FIELDS) + ")")
    con.create_function("addrsift", sift.classify, ["VARCHAR"], verdict, type="arrow", null_handling="special")

    def query():
        con.sql("CREATE OR REPLACE TABLE checked AS SELECT id, addrsift(email) AS verdict FROM customers")

    def found_by_id():
        ids, verdicts = zip(*con.sql("SELECT id, verdict FROM checked").fetchall())
        return zip(ids, tuples(verdicts))

    timed("DuckDB", query)
    check_by_id("DuckDB", found_by_id(), pairs)

    con.sql(f"CREATE TABLE many AS SELECT id, email FROM customers, range({max(1, 600_000 // COUNT)})")
    killer = threading.Timer(0.3, os.kill, (sift._child.pid, signal.SIGKILL))
    killer.start()
    killed = "CREATE TABLE lost AS SELECT id, addrsift(email) AS verdict FROM many"
    fails("DuckDB: a killed process fails the query", lambda: con.sql(killed), "it ended with status -9")
    killer.join()
    fails("DuckDB: a failed query leaves no table", lambda: con.sql("SELECT * FROM lost"), "lost")
    query()
    check_by_id("DuckDB: the query after a killed process", found_by_id(), pairs)
