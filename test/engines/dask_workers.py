"""Tests Dask with two worker processes, each with its own Addrsift: as in the manual page, and with a worker or addrsift killed."""

import logging
import os
import sys

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from addrsift import FIELDS, shared
from distributed import Client, LocalCluster
from rows import COUNT, FOLDER, check, check_by_id, expected, fails, holds, killed_always, killed_once, manual, odd_rows
from rows import time_one_process, timed

PARTITIONS = 8


def all_fields(part, command=("addrsift",)):
    verdicts = shared(command=command).classify(pa.array(part["email"], pa.string()))
    columns = [pa.array(part["id"]), *verdicts.flatten()]
    return pa.Table.from_arrays(columns, ["id", *FIELDS]).to_pandas(types_mapper=pd.ArrowDtype)


def main():
    rows = odd_rows()
    wanted = expected([email for _, email in rows])
    pairs = list(enumerate(wanted))
    time_one_process(rows)
    data = os.path.join(FOLDER, "dask")
    os.mkdir(data)
    for n in range(PARTITIONS):
        some = rows[n * COUNT // PARTITIONS : (n + 1) * COUNT // PARTITIONS]
        columns = {"id": [i for i, _ in some], "email": pa.array([email for _, email in some], pa.string())}
        pa.parquet.write_table(pa.table(columns), os.path.join(data, f"{n}.parquet"), row_group_size=max(1000, COUNT // 20))

    two = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with LocalCluster(**two) as cluster, Client(cluster):
        frame = dd.read_parquet(data, split_row_groups=True)
        # With other partitions, columns have several chunks, and indexes have gaps or duplicates.
        others = {"repartitioned": frame.repartition(npartitions=3), "filtered": frame[frame["id"] % 3 > 0]}
        for description, some in {"as they are": frame, **others}.items():
            names = {"frame": some}
            exec(manual("map_partitions"), names)
            checked = names["checked"].sort_values("id")
            found = [None if value is None else bool(value) for value in checked["disposable"]]
            disposable = [verdict and verdict[FIELDS.index("disposable")] for verdict in wanted]
            check(f"the manual's lines over partitions {description}", found, [disposable[i] for i in checked["id"]])

        def found_by_id(command=("addrsift",), retries=2):
            meta = all_fields(frame._meta)
            answer = frame.map_partitions(all_fields, command=command, meta=meta).compute(retries=retries)
            table = pa.Table.from_pandas(answer, preserve_index=False)
            values = zip(*(column.to_pylist() for column in table.columns))
            # A null address has no verdict.
            return [(i, None if set(verdict) == {None} else verdict) for i, *verdict in values]

        def to_tuples(found):
            return [(i, verdict and tuple(verdict)) for i, verdict in found]

        check_by_id("Dask", to_tuples(timed("Dask, two workers", found_by_id)), pairs)
        for process, *victim in [("addrsift",), ("a worker", "python", 1)]:
            words, killed = killed_once(process.split()[-1], *victim)
            check_by_id(f"Dask, {process} killed once", to_tuples(found_by_id((*words, "addrsift"))), pairs)
            holds(f"Dask: {process} was killed", killed())
        fails("Dask: a process that is always killed fails the computation", lambda: found_by_id(killed_always()), "it ended with status -9")


if __name__ == "__main__":
    sys.exit(main())
