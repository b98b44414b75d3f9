-- addrsift in PostgreSQL, which runs it on the database's machine as the user `postgres` (COPY … PROGRAM needs a right
-- of its own).
-- Use: change the names of tables and files, then run the lines that you need in psql. `postgres` must be able to write
-- to the folder and have `addrsift` on its path. COPY's text format is what `--tsv` reads and writes.
\set ON_ERROR_STOP on

-- Out: customers with the nine added columns. A COPY that fails leaves only checked.tsv.part: the file gets its name
-- afterwards.
COPY (SELECT id, email FROM customers) TO PROGRAM 'addrsift detect --quiet --part --tsv --column 2 --fields syntax_validation,normalized,subaddressing,role_address,public_domain,relay_domain,relay_provider,disposable,detection_source > /srv/checked.tsv.part';
COPY (SELECT) TO PROGRAM 'cat > /dev/null; mv /srv/checked.tsv.part /srv/checked.tsv';

-- In: that file as a table. A COPY that fails leaves no row.
CREATE TABLE checked (
  id bigint, email text, syntax_validation boolean, normalized text, subaddressing boolean, role_address boolean,
  public_domain boolean, relay_domain boolean, relay_provider text, disposable boolean, detection_source text
);
COPY checked FROM '/srv/checked.tsv';

-- In, from a file that COPY (SELECT id, email …) TO wrote:
COPY checked FROM PROGRAM 'addrsift detect --quiet --part --tsv --column 2 --fields syntax_validation,normalized,subaddressing,role_address,public_domain,relay_domain,relay_provider,disposable,detection_source --input /srv/customers.tsv';
