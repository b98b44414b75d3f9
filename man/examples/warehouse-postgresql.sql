-- The verdict on each domain of a table, inside PostgreSQL: a join with the lists, for those who can't start a process
-- beside it.
-- Use: addrsift lists export --format sql | psql -q shop && psql -f warehouse-postgresql.sql shop
-- It reads customers.email and makes addrsift_domains. Syntax, canonical form and role need addrsift itself; a domain
-- beyond ASCII must be in A-labels (xn--...). Verdicts are those of `addrsift detect --domains --dns off`.

BEGIN;
DROP TABLE IF EXISTS addrsift_domains;
CREATE TABLE addrsift_domains AS
WITH domains AS (
  SELECT DISTINCT lower(substring(email FROM '@([^@]+)$')) AS domain FROM customers WHERE email LIKE '%@%'
),
-- The domain and the domains above it; a top-level label alone is no entry.
names AS (
  SELECT domain, n - 1 AS above, array_to_string((string_to_array(domain, '.'))[n:], '.') AS name
  FROM domains, generate_series(1, cardinality(string_to_array(domain, '.')) - 1) AS n
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
COMMIT;
