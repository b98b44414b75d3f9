-- Classifies the domains of a table inside ClickHouse by a join with the lists, for servers that can't start addrsift.
-- Use: addrsift lists export --format csv > lists.csv && clickhouse-client --queries-file warehouse-clickhouse.sql
-- It reads customers.email and lists.csv (from the server's user_files), and creates addrsift_domains. Syntax, canonical
-- form and role need addrsift itself; a domain beyond ASCII must be in A-labels (xn--...). Verdicts are those of
-- `addrsift detect --domains --dns off`.

CREATE OR REPLACE TABLE addrsift_lists ENGINE = MergeTree ORDER BY entry AS
SELECT * FROM file('lists.csv', 'CSVWithNames',
  'entry String, class String, match_type String, kind String, provider String, confidence String, sources String');
CREATE OR REPLACE TABLE addrsift_domains ENGINE = MergeTree ORDER BY domain AS
WITH domains AS (
  SELECT DISTINCT lower(extract(email, '@([^@]+)$')) AS domain FROM customers WHERE email LIKE '%@%'
),
-- Each domain with its parents, without top-level domains.
names AS (
  SELECT domain, n - 1 AS labels_removed, arrayStringConcat(arraySlice(splitByChar('.', domain), n), '.') AS name
  FROM domains ARRAY JOIN range(1, length(splitByChar('.', domain))) AS n
),
-- All matching entries. The one with the smallest `labels_removed` decides, separately for overrides (allow, deny).
matching_entries AS (
  SELECT domain, class, provider,
    labels_removed = 0 OR match_type = 'subdomains' OR (match_type = 'users' AND labels_removed = 1) AS applies,
    rank() OVER (PARTITION BY domain, class IN ('allow', 'deny') ORDER BY labels_removed) AS distance_rank
  FROM names INNER JOIN addrsift_lists ON entry = name
  WHERE class NOT IN ('role', 'tld')
)
SELECT domain,
  multiIf(countIf(class = 'deny') > 0, true, countIf(class = 'allow') > 0, false,
    countIf(class = 'disposable' AND applies) > 0) AS disposable,
  countIf(class = 'public' AND applies) > 0 AS public_domain,
  maxIf(provider, class = 'relay' AND applies) AS relay_provider
FROM domains LEFT JOIN (SELECT * FROM matching_entries WHERE distance_rank = 1) AS nearest USING (domain)
GROUP BY domain;
