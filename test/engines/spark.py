"""Tests PySpark over a standalone cluster of two workers on this machine: classify(df, column), the manual's lines, and the query for Spark
SQL; also with addrsift, a Python worker, an executor, or an executor and its worker killed. No addrsift may be left behind."""

import os
import signal
import socket
import subprocess
import tarfile
import time

import pyarrow as pa
import pyarrow.parquet
import pyspark
from addrsift import classify
from pyspark.sql import SparkSession
from rows import COUNT, ENGINES, FIELDS, FOLDER, PART, check_by_id, expected, fails, holds, killed_always, killed_once, manual, odd_rows
from rows import recipe, save, time_one_process, timed, tuples

FILES = 6
SHORT = 20_000
VICTIMS = [("addrsift",), ("executor", "java", 1), ("executor and worker", "java", 2)]
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
data, result = (os.path.join(FOLDER, f"{PART}-{name}") for name in ("customers", "result"))


class Cluster:
    """A master and two workers, each with one executor of one task at a time."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{port}"
        self._start("master", "deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        self._workers = []
        self.fill()

    def _start(self, name, program, *args):
        home = os.path.dirname(pyspark.__file__)
        log = open(os.path.join(FOLDER, f"{PART}-{name}.log"), "ab")
        environment = {**os.environ, "SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": home}
        line = [os.path.join(home, "bin/spark-class"), f"org.apache.spark.{program}", *args]
        return subprocess.Popen(line, stdout=log, stderr=log, env=environment)

    def fill(self):
        """Replaces workers that have ended. The master registers them after a while."""
        self._workers = [worker for worker in self._workers if worker.poll() is None]
        while len(self._workers) < 2:
            folder = os.path.join(FOLDER, f"{PART}-work")
            args = ["--host", "127.0.0.1", "--cores", "1", "--memory", "2g", "--work-dir", folder, "--webui-port", "0", self.url]
            self._workers.append(self._start("worker", "deploy.worker.Worker", *args))


def read_result():
    """Reads the output of Spark as pairs of an ID and the nine values."""
    table = pa.parquet.read_table(result)
    structs = table["addrsift"].to_pylist() if "addrsift" in table.column_names else table.select(FIELDS).to_pylist()
    return zip(table["id"].to_pylist(), tuples(None if s is None or s["syntax_validation"] is None else s for s in structs))


def write(frame):
    frame.write.mode("overwrite").parquet(result)


rows = odd_rows()
wanted = list(enumerate(expected([email for _, email in rows])))
time_one_process(rows)
os.mkdir(data)
for n in range(FILES):
    some = rows[n * COUNT // FILES : (n + 1) * COUNT // FILES]
    columns = {"id": [i for i, _ in some], "email": pa.array([email for _, email in some], pa.string())}
    pa.parquet.write_table(pa.table(columns), os.path.join(data, f"{n}.parquet"))

cluster = Cluster()
settings = {
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.cores.max": "2", "spark.executor.cores": "1", "spark.executor.memory": "1g",
    # One task for each file.
    "spark.sql.files.maxPartitionBytes": "1g", "spark.sql.files.openCostInBytes": "1g",
}  # fmt: skip
builder = SparkSession.builder.master(cluster.url).appName("addrsift")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.sparkContext.addPyFile(os.path.join(ENGINES, "addrsift.py"))
print(f"  PySpark {pyspark.__version__}", flush=True)

customers = spark.read.parquet(data)
customers.createOrReplaceTempView("customers")
query = recipe("spark-sql.sql")
program = "USING 'addrsift detect"


def classified(words=()):
    write(classify(customers, "email", command=(*words, "addrsift")).select("id", "addrsift"))


def transformed(words=()):
    write(spark.sql(query.replace(program, f"USING '{' '.join((*words, 'addrsift'))} detect")))


def running():
    """Returns the parent of each running addrsift process."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as line, open(f"/proc/{pid}/stat") as stat:
                state, parent = stat.read().rsplit(")", 1)[1].split()[:2]
                if os.fsencode(os.path.join(FOLDER, "bin/addrsift")) in line.read() and state != "Z":
                    found[int(pid)] = int(parent)
        except OSError:
            pass
    return found


def none_runs():
    deadline = time.monotonic() + 10
    while running() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running()


write(customers)  # Starts the executors.
classified()
processes = running()
classified()
holds("the Python workers keep their addrsift", 1 <= len(processes) <= 2 and running() == processes)
check_by_id("a second job of the same workers", read_result(), wanted)
for worker in set(processes.values()):
    os.kill(worker, signal.SIGKILL)
holds("a killed Python worker leaves no addrsift", none_runs())

# The lines of the manual, with an archive that contains only a command.
archive = os.path.join(FOLDER, f"{PART}.tar.gz")
with tarfile.open(archive, "w:gz") as file:
    file.add(save("addrsift", f"#!/bin/sh\nexec '{FOLDER}/bin/addrsift' \"$@\"\n", 0o755), "addrsift")
spark.sparkContext.addArchive(f"{archive}#sift")
names = {"customers": customers}
exec(manual("./sift/addrsift"), names)
write(names["checked"].select("id", "addrsift"))
check_by_id("the lines of the manual", read_result(), wanted)

timed("Spark alone, copying", lambda: write(customers))
for name, work in [("classify", classified), ("Spark SQL", transformed)]:
    timed(name, work)
    check_by_id(name, read_result(), wanted)
    # Spark handles killed executors in the same way for both, so a short run kills them only for one.
    for process, *victim in VICTIMS if name == "classify" or COUNT > SHORT else VICTIMS[:1]:
        words, killed = killed_once(f"{name} {process}".replace(" ", "-"), *victim)
        work(words)
        holds(f"{name}: {process} killed", killed())
        check_by_id(f"{name}, {process} killed once", read_result(), wanted)
        cluster.fill()
    fails(f"{name}: a process that is always killed fails the job", lambda: work(killed_always()))
spark.stop()
holds("the end of the session leaves no addrsift", none_runs())
