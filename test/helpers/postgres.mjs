// Runs a PostgreSQL server for tests: a new cluster in a temporary folder, on a free port of loopback.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, pause } from "./programs.mjs";

/** The package pg. */
export const pg = createRequire(import.meta.url)("pg");

/** Password of the database user. Tests check that no output contains it. */
export const PASSWORD = "s3cret/pass@word";

/** The folder of the server's programs, or undefined. */
export const POSTGRES_PROGRAMS = findPrograms();

/** Starts a server with its files in `parent`. */
export async function startPostgres(parent = tmpdir()) {
  const programs = POSTGRES_PROGRAMS;
  const folder = mkdtempSync(join(parent, "addrsift-pg-"));
  const user = serverUser();
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, PASSWORD);
  // The server refuses to run as root.
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  const options = [
    "-D",
    data,
    "-U",
    "addrsift",
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "-N",
    "-E",
    "UTF8",
  ];
  execFileSync(join(programs, "initdb"), options, { ...user, stdio: "ignore", cwd: folder });
  const port = await freePort();
  const base = `postgresql://addrsift:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  let child;
  let databases = 0;
  const start = async () => {
    const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, "-c", "max_connections=60"];
    const deadline = Date.now() + 200_000;
    for (;;) {
      // After a crash, the server's old processes may take a moment to end.
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
        child = spawn(join(programs, "postgres"), args, { ...user, stdio: "ignore", cwd: folder });
      }
      if (await canQuery(`${base}/postgres`)) return;
      if (Date.now() > deadline) throw new Error("the PostgreSQL server does not start");
      await pause(50);
    }
  };
  const kill = async (signal = "SIGKILL") => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill(signal);
    await ended;
  };
  await start();
  return {
    port,
    create: async () => {
      const name = `test_${++databases}`;
      await query(`${base}/postgres`, `CREATE DATABASE ${name}`);
      return `${base}/${name}`;
    },
    ask: query,
    kill,
    start,
    remove: async () => {
      // On SIGINT the server shuts down cleanly without waiting for clients.
      if (child?.exitCode === null && child.signalCode === null) await kill("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function query(url, text) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5000,
    query_timeout: 20_000,
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: "test",
  });
  pool.on("error", () => {});
  try {
    return (await pool.query({ text, values: [] })).rows;
  } finally {
    await pool.end();
  }
}

async function canQuery(url) {
  try {
    await query(url, "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function findPrograms() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  const folder = folders.find((candidate) => ["initdb", "postgres"].every((name) => existsSync(join(candidate, name))));
  if (folder === undefined || process.getuid?.() !== 0) return folder;
  return spawnSync("id", ["postgres"]).status === 0 ? folder : undefined;
}
