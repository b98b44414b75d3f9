-- The verdict on each domain of a table, inside DuckDB: a join with the lists, for those who can't start a process
-- beside it.
-- Use: addrsift lists export --format csv > lists.csv && duckdb shop.duckdb < warehouse-duckdb.sql
-- It reads customers.email and lists.csv, and makes addrsift_domains. Syntax, canonical form and role need addrsift
-- itself; a domain beyond ASCII must be in A-labels (xn--...). Verdicts are those of `addrsift detect --domains --dns
-- off`.

CREATE OR REPLACE TABLE addrsift_lists AS SELECT * FROM read_csv('lists.csv', header = true, all_varchar = true);
CREATE OR REPLACE TABLE addrsift_domains AS
WITH domains AS (
  SELECT DISTINCT lower(regexp_extract(email, '@([^@]+)$', 1)) AS domain FROM customers WHERE email LIKE '%@%'
),
-- The domain and the domains above it; a top-level label alone is no entry.
names AS (
  SELECT domain, n - 1 AS above, array_to_string(string_split(domain, '.')[n:], '.') AS name
  FROM (SELECT domain, unnest(range(1, len(string_split(domain, '.')))) AS n FROM domains)
),
-- The nearest entry decides; overrides (allow, deny) have a walk of their own.
found AS (
  SELECT domain, class, provider,
    above = 0 OR match_type = 'subdomains' OR (match_type = 'users' AND above = 1) AS counts,
    rank() OVER (PARTITION BY domain, class IN ('allow', 'deny') ORDER BY above) AS place
  FROM names JOIN addrsift_lists ON entry = name AND class NOT IN ('role', 'tld')
)
SELECT domain,
  CASE
    WHEN bool_or(class = 'deny') THEN true
    WHEN bool_or(class = 'allow') THEN false
    ELSE coalesce(bool_or(class = 'disposable' AND counts), false)
  END AS disposable,
  coalesce(bool_or(class = 'public' AND counts), false) AS public_domain,
  max(provider) FILTER (WHERE class = 'relay' AND counts) AS relay_provider
FROM domains LEFT JOIN (SELECT * FROM found WHERE place = 1) AS nearest USING (domain)
GROUP BY domain;
