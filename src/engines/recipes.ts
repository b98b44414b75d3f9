// Files that `addrsift engines show` prints: those of this folder, by their names. It reads no file.

/** A file that users copy into another program, and what it is in a phrase. */
export interface Recipe {
  readonly file: string;
  readonly what: string;
}

export type EngineName = "python" | "spark-sql" | "clickhouse" | "postgresql" | "parallel";

/** All recipes, in the order in which they are listed. */
export const RECIPES: Readonly<Record<EngineName, Recipe>> = {
  python: { file: "addrsift.py", what: "a module over Arrow for PySpark, DuckDB, Polars, Dask and Ray" },
  "spark-sql": { file: "spark-sql.sql", what: "a query for Spark that needs no Python" },
  clickhouse: { file: "clickhouse.xml", what: "a function and a table function for ClickHouse" },
  postgresql: { file: "postgresql.sql", what: "COPY statements for PostgreSQL" },
  parallel: { file: "parallel.sh", what: "GNU parallel over all cores, or over several machines" },
};

export const ENGINE_NAMES: readonly EngineName[] = Object.keys(RECIPES) as EngineName[];
