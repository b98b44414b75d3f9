-- addrsift in PostgreSQL, which runs it on the database's machine as the database's user (COPY … PROGRAM needs that right).
-- Use: change the names of tables and files, then run the line that you need in psql.

-- Out: customers with the nine added columns. The file gets its name only when it is complete.
COPY (SELECT id, email FROM customers) TO PROGRAM 'addrsift detect --csv --quiet > /srv/checked.csv.part && mv /srv/checked.csv.part /srv/checked.csv' WITH (FORMAT csv, HEADER);

-- In: a CSV file into the table `checked`, whose columns are those of the file and then the nine added ones.
COPY checked FROM PROGRAM 'addrsift detect --csv --quiet --input /srv/customers.csv' WITH (FORMAT csv, HEADER);
