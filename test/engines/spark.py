"""PySpark on this machine with two tasks at a time: classify(df, column), and the query for Spark SQL."""

import os
import sys

from addrsift import classify
from pyspark.sql import SparkSession
from rows import check, expected, holds, odd_rows, tuples

engines = sys.argv[2]
settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.bindAddress": "127.0.0.1"}
# A failed task is tried once more, as a cluster does.
builder = SparkSession.builder.master("local[2,2]").appName("addrsift").config("spark.driver.host", "127.0.0.1")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.sparkContext.addPyFile(os.path.join(engines, "addrsift.py"))

rows = odd_rows(20_000)
wanted = expected(rows)
customers = spark.createDataFrame(rows, "id bigint, email string").repartition(6)
customers.createOrReplaceTempView("customers")

# Killed at once in the first task that comes; the second try works.
once = os.path.join(sys.argv[1], "killed")
command = ("sh", "-c", f'mkdir "{once}" 2>/dev/null && head -c 9999 > /dev/null && kill -9 $$; exec addrsift "$@"', "sh")


def found(frame):
    return tuples(v if v is None or v["syntax_validation"] is not None else None for _, v in sorted(frame.select("id", "addrsift").collect()))


check("classify", found(classify(customers, "email")), wanted)
check("classify, killed once", found(classify(customers, "email", command=command)), wanted)
holds("it was killed", os.path.isdir(once))

query = open(os.path.join(engines, "spark-sql.sql")).read()
checked = sorted(map(tuple, spark.sql(query).collect()))
check("Spark SQL", [None if row[1] is None else row[1:] for row in checked], wanted)
try:
    spark.sql(query.replace("USING 'addrsift detect", "USING 'head -c 9999 > /dev/null; kill -9 $$; addrsift detect")).collect()
    failed = ""
except Exception as error:
    failed = str(error)
holds("Spark SQL: a process that is always killed fails the query", failed != "")
spark.stop()
