-- addrsift in PostgreSQL. The server runs it on its machine as the user `postgres`. COPY … PROGRAM needs the role
-- pg_execute_server_program.
-- Use: change the names of tables and files, then run the lines that you need in psql. `postgres` must be able to write
-- to the folder and have `addrsift` on its path. COPY's text format is what `--tsv` reads and writes.
\set ON_ERROR_STOP on

-- Export customers with nine added columns. A failed COPY leaves only checked.tsv.part, because the file is renamed
-- afterwards.
COPY (SELECT id, email FROM customers) TO PROGRAM 'addrsift detect --quiet --part --tsv --column 2 --fields syntax_validation,normalized,subaddressing,role_address,public_domain,relay_domain,relay_provider,disposable,detection_source > /srv/checked.tsv.part';
COPY (SELECT) TO PROGRAM 'cat > /dev/null; mv /srv/checked.tsv.part /srv/checked.tsv';

-- Import that file as a table. A failed COPY imports no rows.
CREATE TABLE checked (
  id bigint, email text, syntax_validation boolean, normalized text, subaddressing boolean, role_address boolean,
  public_domain boolean, relay_domain boolean, relay_provider text, disposable boolean, detection_source text
);
COPY checked FROM '/srv/checked.tsv';

-- Or import a file that COPY (SELECT id, email …) TO wrote, and classify it:
COPY checked FROM PROGRAM 'addrsift detect --quiet --part --tsv --column 2 --fields syntax_validation,normalized,subaddressing,role_address,public_domain,relay_domain,relay_provider,disposable,detection_source --input /srv/customers.tsv';
