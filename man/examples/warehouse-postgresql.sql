-- Classifies the domains of a table inside PostgreSQL by a join with the lists, for servers that can't start addrsift.
-- Use: addrsift lists export --format sql | psql -q shop && psql -f warehouse-postgresql.sql shop
-- It reads customers.email and creates addrsift_domains. Syntax, canonical form and role need addrsift itself; a domain
-- beyond ASCII must be in A-labels (xn--...). Verdicts are those of `addrsift detect --domains --dns off`.

BEGIN;
DROP TABLE IF EXISTS addrsift_domains;
CREATE TABLE addrsift_domains AS
WITH domains AS (
  SELECT DISTINCT lower(substring(email FROM '@([^@]+)$')) AS domain FROM customers WHERE email LIKE '%@%'
),
-- Each domain with its parents, without top-level domains.
names AS (
  SELECT domain, n - 1 AS labels_removed, array_to_string((string_to_array(domain, '.'))[n:], '.') AS name
  FROM domains, generate_series(1, cardinality(string_to_array(domain, '.')) - 1) AS n
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
COMMIT;
