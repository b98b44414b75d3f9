-- The verdict on each domain of a table, inside ClickHouse: a join with the lists, for those who can't start a process
-- beside it.
-- Use: addrsift lists export --format csv > lists.csv && clickhouse-client --queries-file warehouse-clickhouse.sql
-- It reads customers.email and lists.csv (from the server's user_files), and makes addrsift_domains. Syntax, canonical
-- form and role need addrsift itself; a domain beyond ASCII must be in A-labels (xn--...). Verdicts are those of
-- `addrsift detect --domains --dns off`.

CREATE OR REPLACE TABLE addrsift_lists ENGINE = MergeTree ORDER BY entry AS
SELECT * FROM file('lists.csv', 'CSVWithNames',
  'entry String, class String, match_type String, kind String, provider String, confidence String, sources String');
CREATE OR REPLACE TABLE addrsift_domains ENGINE = MergeTree ORDER BY domain AS
WITH domains AS (
  SELECT DISTINCT lower(extract(email, '@([^@]+)$')) AS domain FROM customers WHERE email LIKE '%@%'
),
-- The domain and the domains above it; a top-level label alone is no entry.
names AS (
  SELECT domain, n - 1 AS above, arrayStringConcat(arraySlice(splitByChar('.', domain), n), '.') AS name
  FROM domains ARRAY JOIN range(1, length(splitByChar('.', domain))) AS n
),
-- The nearest entry decides; overrides (allow, deny) have a walk of their own.
found AS (
  SELECT domain, class, provider,
    above = 0 OR match_type = 'subdomains' OR (match_type = 'users' AND above = 1) AS counts,
    rank() OVER (PARTITION BY domain, class IN ('allow', 'deny') ORDER BY above) AS place
  FROM names INNER JOIN addrsift_lists ON entry = name
  WHERE class NOT IN ('role', 'tld')
)
SELECT domain,
  multiIf(countIf(class = 'deny') > 0, true, countIf(class = 'allow') > 0, false,
    countIf(class = 'disposable' AND counts) > 0) AS disposable,
  countIf(class = 'public' AND counts) > 0 AS public_domain,
  maxIf(provider, class = 'relay' AND counts) AS relay_provider
FROM domains LEFT JOIN (SELECT * FROM found WHERE place = 1) AS nearest USING (domain)
GROUP BY domain;
