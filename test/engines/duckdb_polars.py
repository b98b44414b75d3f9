"""DuckDB, Polars and Dask's way of calling (a function of a data frame's part) over the class Addrsift."""

import os
import signal
import threading

import duckdb
import polars as pl
import pyarrow as pa
from addrsift import FIELDS, Addrsift
from rows import check, expected, holds, odd_rows, tuples

# A NUL is no part of a text in many databases.
rows = [(i, email) for i, email in odd_rows(20_000) if "\0" not in (email or "")]
wanted = expected(rows)
table = pa.table({"id": [i for i, _ in rows], "email": pa.array([email for _, email in rows], pa.string())})

with Addrsift() as sift:
    frame = pl.from_arrow(table)
    checked = frame.with_columns(pl.Series("addrsift", sift.classify(frame["email"].to_arrow())))
    # A null struct may be a struct of nulls there.
    found = [None if v is None or set(v.values()) == {None} else v for v in checked["addrsift"].to_list()]
    check("Polars", tuples(found), wanted)

    con = duckdb.connect()
    con.register("customers", table)
    booleans = {field.name for field in sift.type if pa.types.is_boolean(field.type)}
    struct = "STRUCT(" + ", ".join(f"{name} {'BOOLEAN' if name in booleans else 'VARCHAR'}" for name in FIELDS) + ")"
    kind = con.type(struct) if hasattr(con, "type") else struct
    con.create_function("addrsift", sift.classify, ["VARCHAR"], kind, type="arrow", null_handling="special")
    query = "SELECT id, addrsift(email) AS verdict FROM customers ORDER BY id"
    check("DuckDB", tuples(verdict for _, verdict in con.sql(query).fetchall()), wanted)

    con.sql("CREATE TABLE many AS SELECT id, email FROM customers, range(30)")
    killer = threading.Timer(0.3, os.kill, (sift._child.pid, signal.SIGKILL))
    killer.start()
    try:
        con.sql("SELECT count(v.disposable) FROM (SELECT addrsift(email) AS v FROM many)").fetchall()
        failed = ""
    except duckdb.Error as error:
        failed = str(error)
    killer.join()
    holds("DuckDB: a killed process fails the query", "it ended with status -9" in failed)
    check("DuckDB: the next query works", tuples(verdict for _, verdict in con.sql(query).fetchall()), wanted)
