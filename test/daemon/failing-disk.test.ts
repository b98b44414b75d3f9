// Tests a daemon whose disk fails: a preloaded library makes the system call fail that a file names.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Daemon, makeKey, send, startDaemon } from "../helpers/daemon.ts";

const LIBRARY = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char word[16];
static int fails(const char *what) {
  FILE *file = fopen(getenv("FAILS"), "r");
  if (!file) return 0;
  word[0] = 0;
  if (!fgets(word, sizeof word, file)) word[0] = 0;
  fclose(file);
  return strcmp(word, what) == 0;
}
int fsync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  struct stat is;
  fstat(fd, &is);
  if (fails(S_ISDIR(is.st_mode) ? "folder" : "file")) { errno = EIO; return -1; }
  return real(fd);
}
int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  int done = real(from, to);
  if (strstr(to, "previous") == NULL && fails("rename")) { errno = ESTALE; return -1; }
  return done;
}
`;
const CHANNELS = "/api/v1/team/notifications/channels";
const folder = mkdtempSync(join(tmpdir(), "addrsift-disk-"));
const switchFile = join(folder, "fails");
const failAt = (step: string): void => writeFileSync(switchFile, step);
const library = join(folder, "failing.so");
writeFileSync(join(folder, "failing.c"), LIBRARY);
const compiled = spawnSync("cc", ["-shared", "-fPIC", "-o", library, join(folder, "failing.c"), "-ldl"]).status === 0;

describe.skipIf(!compiled || process.platform !== "linux")("a daemon whose disk fails (needs cc)", () => {
  let daemon: Daemon;
  let key: string;
  beforeAll(async () => {
    daemon = await startDaemon(["--dns", "off"], { env: { LD_PRELOAD: library, FAILS: switchFile } });
    ({ text: key } = await makeKey(daemon.home));
  });
  beforeEach(() => failAt("nothing"));
  afterAll(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });

  const create = async (name: string) => {
    const body = { name, type: "webhook", config: { url: "https://hooks.example.com/" } };
    const { status, json } = await send(daemon.port, "POST", CHANNELS, { key, body });
    return [status, json["code"], json["message"]];
  };
  const names = async (): Promise<string[]> => {
    const { json } = await send(daemon.port, "GET", CHANNELS, { key });
    return (json["data"] as { name: string }[]).map(({ name }) => name);
  };
  const readiness = async (): Promise<unknown[]> => {
    const { status, json } = await send(daemon.port, "GET", "/readyz");
    return [status, json["message"]];
  };

  it.each([
    ["file", "the daemon failed to answer this request: retry", false],
    ["folder", "the change may have been made", true],
    ["rename", "the change may have been made", true],
  ])(
    "a disk failure while committing a change (%s) gets %j; the daemon is unready until recovery",
    async (step, message, isMade) => {
      expect(await readiness()).toEqual([200, "The daemon is ready."]);
      const before = daemon.log().length;
      failAt(step);
      const response = await create(step);
      expect(response).toEqual([500, "INTERNAL", expect.stringContaining(message)]);
      expect(await readiness()).toEqual([503, expect.stringContaining("the store can't be written")]);
      const { text } = await send(daemon.port, "GET", "/metrics");
      expect(text).toMatch(/^addrsift_store_writable\{file="store.json"\} 0$/m);
      await expect.poll(() => daemon.log().slice(before)).toMatch(/EIO|ESTALE|-116/);
      failAt("nothing");
      expect(await readiness()).toEqual([200, "The daemon is ready."]);
      expect((await names()).includes(step)).toBe(isMade);
      expect((await create(`${step} again`))[0]).toBe(200);
    },
  );
});
