-- Classifies the domains of a table inside DuckDB by a join with the lists, for servers that can't start addrsift.
-- Use: addrsift lists export --format csv > lists.csv && duckdb shop.duckdb < warehouse-duckdb.sql
-- It reads customers.email and lists.csv, and creates addrsift_domains. Syntax, canonical form and role need addrsift
-- itself; a domain beyond ASCII must be in A-labels (xn--...). Verdicts are those of `addrsift detect --domains --dns
-- off`.

CREATE OR REPLACE TABLE addrsift_lists AS SELECT * FROM read_csv('lists.csv', header = true, all_varchar = true);
CREATE OR REPLACE TABLE addrsift_domains AS
WITH domains AS (
  SELECT DISTINCT lower(regexp_extract(email, '@([^@]+)$', 1)) AS domain FROM customers WHERE email LIKE '%@%'
),
-- Each domain with its parents, without top-level domains.
names AS (
  SELECT domain, n - 1 AS labels_removed, array_to_string(string_split(domain, '.')[n:], '.') AS name
  FROM (SELECT domain, unnest(range(1, len(string_split(domain, '.')))) AS n FROM domains)
),
-- All matching entries. The one with the smallest `labels_removed` decides, separately for overrides (allow, deny).
matching_entries AS (
  SELECT domain, class, provider,
    labels_removed = 0 OR match_type = 'subdomains' OR (match_type = 'users' AND labels_removed = 1) AS applies,
    rank() OVER (PARTITION BY domain, class IN ('allow', 'deny') ORDER BY labels_removed) AS distance_rank
  FROM names JOIN addrsift_lists ON entry = name AND class NOT IN ('role', 'tld')
)
SELECT domain,
  CASE
    WHEN bool_or(class = 'deny') THEN true
    WHEN bool_or(class = 'allow') THEN false
    ELSE coalesce(bool_or(class = 'disposable' AND applies), false)
  END AS disposable,
  coalesce(bool_or(class = 'public' AND applies), false) AS public_domain,
  max(provider) FILTER (WHERE class = 'relay' AND applies) AS relay_provider
FROM domains LEFT JOIN (SELECT * FROM matching_entries WHERE distance_rank = 1) AS nearest USING (domain)
GROUP BY domain;
