// The files of this folder, which `addrsift engines show` prints. This module reads no files.

/** Files that users copy into other programs, each with a short description, in the order of `addrsift engines`. */
export const RECIPES = {
  python: { file: "addrsift.py", description: "a module over Arrow for PySpark, DuckDB, Polars, Dask and Ray" },
  "spark-sql": { file: "spark-sql.sql", description: "a query for Spark that needs no Python" },
  clickhouse: { file: "clickhouse.xml", description: "a function and a table function for ClickHouse" },
  postgresql: { file: "postgresql.sql", description: "COPY statements for PostgreSQL" },
  parallel: { file: "parallel.sh", description: "GNU parallel over all cores, or over several machines" },
} as const;

export const ENGINE_NAMES = Object.keys(RECIPES) as readonly (keyof typeof RECIPES)[];
