# addrsift in Apache Spark: one process for each partition; rows stay in their order.
# Use: copy into a PySpark program. `addrsift` must be on the path of every worker.
# - `pipe` passes no environment unless `env` is given, and loses the rows of a failed process unless `checkCode` is True.
# - Clean the rows first. Null becomes the address `None`, an address with a line break becomes two rows, and `pipe` hangs when
#   the step before it raises. `textFile` also ends a line at CR, addrsift does not.
# - With a schema, Spark does not run the command once more to find one.

import os

emails = spark.sparkContext.textFile("addresses.txt")
lines = emails.pipe("addrsift detect --quiet --part", env=dict(os.environ), checkCode=True)
results = spark.read.schema("email STRING, syntax_validation BOOLEAN, normalized STRING, disposable BOOLEAN").json(lines)
