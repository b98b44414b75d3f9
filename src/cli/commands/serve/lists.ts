// The daemon's lists, overrides and DNS, reloaded when files change; and `serve --update-lists`, which runs `addrsift
// lists update` as a process, so that requests do not wait for it.

import type { ChildProcess } from "node:child_process";
import { pluralize } from "../../../base/format-text.ts";
import { lazy } from "../../../base/memoize.ts";
import type { Policy } from "../../../bulk/run/options.ts";
import { UPDATABLE_KEYS } from "../../../curation/sources.ts";
import { HomeLists, oldestCheck } from "../../../curation/update/home-lists.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { Detector } from "../../../detection/detector.ts";
import type { MailResolver } from "../../../detection/routing.ts";
import { createDnsResolver } from "../../../dns/resolver.ts";
import { ReloadingHome } from "../../../home/lists.ts";
import { requireVersion } from "../../../lists/meta.ts";
import type { Counters } from "../../../server/counters.ts";
import { DetectionRenderer } from "../../../server/routes/detect/rendering.ts";
import { StreamClassifiers } from "../../../server/routes/stream/run.ts";
import { BULK_CACHE_ENTRIES, openBuiltInLists } from "../../composition/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { type DaemonLog, limitRepeats } from "./log.ts";
import type { ServeSettings } from "./settings.ts";

const POLL_INTERVAL_MS = 1000;
const UNSENT_QUERIES =
  "DNS lookups fail: no name server listens (see --dns-server) or too many files are open (raise ulimit -n)";

/** The lists in use, kept current, and the classifiers over them. Its timer does not keep the process alive. */
export class LiveLists {
  addressRenderer!: DetectionRenderer;
  domainRenderer!: () => DetectionRenderer;
  streamClassifiers!: () => StreamClassifiers;
  readonly home: ReloadingHome;
  /** Survives reloads of the lists, with its cache. */
  private readonly resolver: MailResolver | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly settings: Pick<ServeSettings, "home" | "dns" | "policy" | "dataVersion">,
    { root, now }: Pick<Runtime, "root" | "now">,
    private readonly counters: Counters,
    private readonly log: DaemonLog,
  ) {
    const { dataVersion } = settings;
    const warn = limitRepeats(log.warn);
    const onUnsent = (): void => warn(UNSENT_QUERIES);
    this.resolver =
      settings.dns === undefined ? undefined : countRoutings(createDnsResolver(settings.dns, onUnsent), counters);
    this.home = new ReloadingHome(settings.home, {
      openBuiltIn: () => openBuiltInLists(root, "in-memory"),
      now,
      warn: log.warn,
      accepts: ({ meta }) => {
        if (dataVersion === undefined || meta.dataVersion === dataVersion) return true;
        const problem = `the home has lists ${meta.dataVersion}, but --data-version is ${dataVersion}`;
        log.warn(`${problem}, so the previous lists stay in use`);
        return false;
      },
    });
    requireVersion(this.home.lists, dataVersion);
    this.rebuild();
    this.timer = setInterval(() => this.refresh(), POLL_INTERVAL_MS).unref();
  }

  get dataVersion(): string {
    return this.addressRenderer.detector.dataVersion;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refresh(): void {
    const { lists, overrides } = this.home.refresh();
    if (lists || overrides) this.rebuild();
    if (overrides) {
      const count = Array.from(this.home.overrides.activeRecords()).length;
      this.log.info(`${pluralize(count, "override is", "overrides are")} now in use`);
    }
    if (lists) this.log.info(`lists ${this.dataVersion} are now in use`);
  }

  private rebuild(): void {
    const { lists, overrides } = this.home;
    const setup = (policy: Policy) => ({ lists, overrides, ...policy, cacheEntries: BULK_CACHE_ENTRIES });
    this.addressRenderer = this.createRenderer("address", setup);
    this.domainRenderer = lazy(() => this.createRenderer("domain", setup));
    this.streamClassifiers = lazy(() => new StreamClassifiers(this.settings.policy, setup, this.resolver));
  }

  private createRenderer(subject: "address" | "domain", setup: (policy: Policy) => ClassifierSetup): DetectionRenderer {
    const detector = new Detector(setup({ ...this.settings.policy, subject }), this.resolver);
    return new DetectionRenderer(detector, (classes) => this.counters.countAddresses(classes), subject);
  }
}

function countRoutings(resolver: MailResolver, counters: Counters): MailResolver {
  return {
    route: async (...args) => {
      const routing = await resolver.route(...args);
      counters.countRouting(routing);
      return routing;
    },
  };
}

// Delay after the first failure; doubles up to the interval.
const FIRST_RETRY_MS = 60_000;
// Random, so that daemons do not all fetch in the same second.
const JITTER_SHARE = 0.1;
const FIRST_DELAY_MAX_MS = 60_000;
// The end of an update's output, for the log.
const MAX_OUTPUT_LENGTH = 2000;

/** Runs updates on a timer, one at a time. Its timer does not keep the process alive. */
export class ListUpdater {
  private timer: NodeJS.Timeout | undefined;
  private child: ChildProcess | undefined;
  private failures = 0;
  private isStopped = false;

  constructor(
    private readonly settings: Pick<ServeSettings, "home" | "sources" | "allowPrivate" | "proxy">,
    private readonly intervalMs: number,
    private readonly runtime: Pick<Runtime, "root" | "env" | "now">,
    private readonly log: DaemonLog,
  ) {
    this.schedule(this.firstDelayMs());
  }

  /** Kills a running update. The installed lists stay intact. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.child?.kill();
  }

  /** Returns the time until the next update is due, counted from the last check, so restarts cause no extra updates. */
  private firstDelayMs(): number {
    const { home, sources } = this.settings;
    const keys = sources.map((source) => source.slice(0, source.indexOf("=")));
    const state = new HomeLists(home.folder).readState();
    const checkedAt = oldestCheck(state, keys.length === 0 ? UPDATABLE_KEYS : keys);
    const ageMs = checkedAt === undefined ? Number.POSITIVE_INFINITY : this.runtime.now() - Date.parse(checkedAt);
    const soonMs = Math.random() * Math.min(FIRST_DELAY_MAX_MS, JITTER_SHARE * this.intervalMs);
    return soonMs + (ageMs >= 0 && ageMs < this.intervalMs ? this.intervalMs - ageMs : 0);
  }

  private schedule(delayMs: number): void {
    // A longer delay would overflow the timer, which would then fire immediately.
    this.timer = setTimeout(() => void this.update(), Math.min(delayMs, 0x7fffffff)).unref();
  }

  private async update(): Promise<void> {
    const failure = await this.runUpdate();
    if (this.isStopped) return;
    this.failures = failure === undefined ? 0 : this.failures + 1;
    if (failure !== undefined) this.log.warn(`--update-lists: ${failure}`);
    const retryMs = FIRST_RETRY_MS * 2 ** Math.min(this.failures - 1, 20);
    const nextMs = failure === undefined ? this.intervalMs : Math.min(this.intervalMs, retryMs);
    this.schedule(nextMs * (1 - JITTER_SHARE + 2 * JITTER_SHARE * Math.random()));
  }

  private async runUpdate(): Promise<string | undefined> {
    const { execFile } = await import("node:child_process");
    const { home, sources, allowPrivate, proxy } = this.settings;
    const env = { ...(proxy === undefined ? {} : { HTTPS_PROXY: proxy.href }), ...this.runtime.env };
    const command = [
      ...[`${this.runtime.root}/bin/addrsift.cjs`, "lists", "update", "--home", home.folder],
      ...sources.flatMap((source) => ["--source", source]),
      ...allowPrivate.flatMap((range) => ["--allow-private", range]),
    ];
    return new Promise((resolve) => {
      this.child = execFile(process.execPath, command, { env }, (error, stdout, stderr) => {
        const text = (stderr + stdout).slice(-MAX_OUTPUT_LENGTH).trim();
        const lines = text.replace(/^addrsift: /gm, "").replaceAll("\n", "; ");
        if (error === null) this.log.info(lines);
        const reason = typeof error?.code === "number" ? `the update ended with ${error.code}` : error?.message;
        resolve(error === null || lines === "" ? reason : lines);
      });
    });
  }
}
