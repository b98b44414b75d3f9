-- addrsift in Spark SQL, with one process for each task. Spark retries a failed task; if it fails again, so does the query.
-- Use: change the names of the table and its columns. `addrsift` must be on the path of every executor; if you ship a
-- release's executable with `spark.files=addrsift`, write './addrsift'. See `man addrsift-engines`.
-- Spark does not escape rows that it writes to a program, so the query does. For a null address, all fields are null.

SELECT
  id, syntax_validation, replace(normalized, '\\\\', '\\') AS normalized, subaddressing, role_address, public_domain,
  relay_domain, relay_provider, disposable, detection_source
FROM (
  SELECT TRANSFORM (
    id, replace(replace(replace(replace(email, '\\', '\\\\'), '\t', '\\t'), '\n', '\\n'), '\r', '\\r')
  )
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '\\N'
  USING 'addrsift detect --quiet --part --tsv --column 2 --fields syntax_validation,normalized,subaddressing,role_address,public_domain,relay_domain,relay_provider,disposable,detection_source'
  AS (
    id BIGINT, sent STRING, syntax_validation BOOLEAN, normalized STRING, subaddressing BOOLEAN, role_address BOOLEAN,
    public_domain BOOLEAN, relay_domain BOOLEAN, relay_provider STRING, disposable BOOLEAN, detection_source STRING
  )
  ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '\\N'
  FROM customers
)
