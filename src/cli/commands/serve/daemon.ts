// `addrsift serve`: assembles the daemon and runs it until the last response. Long, because parts are created and
// closed here, in order.

import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { isAddrsiftError } from "../../../base/errors.ts";
import { isLoopbackHost } from "../../../base/ip.ts";
import { lazy } from "../../../base/memoize.ts";
import { increment } from "../../../bulk/name-counts.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import type { Keys } from "../../../keys/keys.ts";
import { createProxyFor } from "../../../outbound/proxy.ts";
import type { PageFacts } from "../../../page/facts.ts";
import { Counters, createAccessLog } from "../../../server/counters.ts";
import { type App, type AppDeps, createApp } from "../../../server/http/app.ts";
import { type AccessSettings, createAuthorization } from "../../../server/http/authorization.ts";
import { Listener } from "../../../server/http/listener.ts";
import { createHostCheck } from "../../../server/http/origins.ts";
import type { Route } from "../../../server/http/route.ts";
import { StreamSlots } from "../../../server/http/stream-slots.ts";
import { StreamCutError } from "../../../server/http/streaming.ts";
import { createMetrics, type Metrics } from "../../../server/metrics.ts";
import { openApiDocument } from "../../../server/openapi.ts";
import { type Page, splitMetricsRoute } from "../../../server/routes/status.ts";
import { createRoutes, listRoutes } from "../../../server/routes/table.ts";
import { SECRET_PATHS } from "../../../server/routes/verify.ts";
import { openChannelServices } from "../../composition/channels.ts";
import { openKeys, openStores, type Stores } from "../../composition/stores.ts";
import type { SERVE } from "../../options/serve.ts";
import type { Arguments } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";
import { waitForStopSignal } from "../../terminal/signals.ts";
import { AttemptLog, createStoreMetrics, findNotReadyReason, recordMail } from "./health.ts";
import { ListUpdater, LiveLists } from "./lists.ts";
import { type DaemonLog, limitRepeats, openLog } from "./log.ts";
import {
  findListenAddress,
  type ListenAddress,
  listenError,
  readServeSettings,
  type ServeSettings,
} from "./settings.ts";
import { limitConnections, logStartup, packageVersion } from "./startup-log.ts";

// How long a stop waits for idle connections, and for running requests (the limit of a request).
const IDLE_SWEEP_MS = 500;
const STOP_LIMIT_MS = 20_000;
// Deliveries that take longer are retried by another process or the next daemon.
const DELIVERIES_LIMIT_MS = 5000;
// How long to wait until the last lines of the log are read.
const LOG_LIMIT_MS = 5000;

export async function serve(args: Arguments<typeof SERVE>, runtime: Runtime): Promise<number> {
  const settings = readServeSettings(args, runtime);
  const log = openLog(settings);
  const listenAddress = await findListenAddress(settings.host, settings.port);
  const stores = await openStores({ home: settings.home.folder }, runtime, "daemon", log.warn);
  if (args.options.check) await stores.refresh();
  const daemon = new Daemon(settings, runtime, listenAddress, log, stores);
  if (args.options.check) {
    await daemon.check();
    if (!args.options.quiet) warn(runtime, `the daemon can start with these settings, on the store ${stores.title}`);
    return 0;
  }
  stores.start();
  // Not ready until the database's tables have been checked once. Both log why the store can't be read or changed.
  await stores
    .refresh()
    .then(() => stores.records.checkWritable())
    .catch(() => {});
  const stopSignal = waitForStopSignal(runtime.signals, runtime.stderr.isTerminal, (signal) => {
    log.info(SIGNAL_IGNORED, { signal });
  });
  await daemon.listen();
  const { signal, status } = await stopSignal;
  log.notice("stopping: no new connections, running requests are finished", { signal });
  await daemon.stop();
  log.notice("stopped");
  // If no one reads the log, its last lines would keep the process alive. The signal has no listener any more, so it
  // ends the process.
  setTimeout(() => runtime.signals.kill(runtime.signals.pid, signal), LOG_LIMIT_MS).unref();
  return status;
}

const SIGNAL_IGNORED = "nothing to do: keys and lists are read when they change, and the log goes to standard error";

class Daemon {
  private readonly counters: Counters = new Counters();
  private readonly liveLists: LiveLists;
  private readonly streams: StreamSlots;
  private readonly listener: Listener;
  private readonly metricsListener: Listener | undefined;
  private readonly keys: Keys;
  private readonly shutdownSteps: (() => Promise<void>)[] = [];
  private isStopping = false;
  private readonly warnOfDrops: DaemonLog["warn"];
  private url: string | undefined;

  constructor(
    private readonly settings: ServeSettings,
    private readonly runtime: Runtime,
    private readonly listenAddress: ListenAddress,
    private readonly log: DaemonLog,
    private readonly stores: Stores,
  ) {
    this.streams = new StreamSlots(settings.streamLimit);
    this.warnOfDrops = limitRepeats(log.warn);
    const keys = openKeys(stores.records, runtime.now, log.warn);
    this.shutdownSteps.push(() => keys.flush());
    try {
      // Throws now if the store is unreadable, not at the first request. A database may become available later.
      keys.list();
    } catch (failure) {
      if (!isAddrsiftError(failure) || failure.code !== "UNAVAILABLE") throw failure;
    }
    this.liveLists = new LiveLists(settings, runtime, this.counters, log);
    this.keys = keys;
    const routes = this.createRoutes();
    const [metrics, others] = settings.metricsPort === undefined ? [undefined, routes] : splitMetricsRoute(routes);
    const onFinished = this.createRequestLog();
    const app = this.createApp(others, "/openapi.json lists all paths", onFinished);
    const limits = { maxConnections: limitConnections(settings.maxConnections, log) };
    this.listener = new Listener(app, limits, () => this.countDropped(limits), onFinished);
    this.metricsListener =
      metrics && new Listener(this.createApp([metrics], `use ${metrics.path}`, onFinished), limits);
    const { updateEveryMs } = settings;
    if (updateEveryMs === undefined) return;
    const updates = new ListUpdater(settings, updateEveryMs, runtime, log);
    this.shutdownSteps.push(async () => updates.stop());
  }

  async listen(): Promise<void> {
    const { settings, listener, metricsListener } = this;
    const { metricsPort = 0 } = settings;
    // The metrics first, so that no request is accepted if their port is taken.
    const metricsUrl = metricsListener && (await this.listenOn(metricsListener, metricsPort, "--metrics-port"));
    const url = await this.listenOn(listener, settings.port, "--port").catch((failure: unknown) => {
      // An open port would keep the process alive.
      metricsListener?.server.close();
      throw failure;
    });
    this.url = url;
    // Loads what requests need, because an upgrade in place removes the package's files for a while.
    void [require("prom-client"), require("undici"), require("ipaddr.js"), require("nodemailer"), require("tr46")];
    void [require("punycode/"), import("../../../base/ip.ts"), import("fs-native-extensions").catch(() => {})];
    this.logStartup(url, metricsUrl);
  }

  /**
   * Logs warnings about the settings and closes the stores. Throws AddrsiftError if the store can't be changed or the
   * daemon can't listen. A port in use is only a warning, because that is normal while the daemon runs.
   */
  async check(): Promise<void> {
    try {
      const fault = this.stores.records.checkWritable();
      if (fault !== undefined) throw fault;
      const { port, metricsPort } = this.settings;
      await this.checkPort(port, "--port");
      if (metricsPort !== undefined) await this.checkPort(metricsPort, "--metrics-port");
      this.logStartup();
    } finally {
      await this.close();
    }
  }

  private async checkPort(port: number, option: string): Promise<void> {
    const server = createServer();
    try {
      await this.listenOn({ server }, port, option);
      server.close();
    } catch (error) {
      if (((error as Error).cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      this.log.warn(
        `${option} ${port} is in use, which is normal while the daemon runs: stop what listens there before the start`,
      );
    }
  }

  private logStartup(url?: string, metricsUrl?: string): void {
    const facts = { url, metricsUrl, dataVersion: this.liveLists.dataVersion, store: this.stores.title };
    const keys = this.anonymousDetection === "no one" ? this.keys : undefined;
    logStartup(this.log, this.settings, this.runtime, keys, facts);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const limits = { sweepMs: IDLE_SWEEP_MS, limitMs: STOP_LIMIT_MS };
    const [unfinished] = await Promise.all([this.listener.stop(limits), this.metricsListener?.stop(limits)]);
    if (unfinished > 0) this.log.warn(`requests cut off after ${STOP_LIMIT_MS / 1000} s: ${unfinished}`);
    await this.close();
  }

  private async close(): Promise<void> {
    this.liveLists.close();
    for (const step of this.shutdownSteps) await step();
    await this.stores.close();
  }

  private async listenOn({ server }: { readonly server: Server }, port: number, option: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => reject(listenError(error, this.settings.host, port, option)));
      server.listen(port, this.listenAddress.address, 1024, resolve);
    });
    server.on("error", (error) => this.log.error("a connection could not be accepted", { error: error.message }));
    const { address, port: actualPort } = server.address() as AddressInfo;
    return `http://${address.includes(":") ? `[${address}]` : address}:${actualPort}`;
  }

  private get anonymousDetection(): AccessSettings["anonymousDetection"] {
    const { publicDetect, publicUrl } = this.settings;
    if (publicDetect) return "everyone";
    const isLocal = publicUrl === undefined || isLoopbackHost(publicUrl.hostname);
    return this.listenAddress.loopback && isLocal ? "this machine" : "no one";
  }

  private createRoutes(): Route[] {
    const { runtime, settings, stores } = this;
    const { publicUrl } = settings;
    const isMetricsPublic = settings.metricsPublic || settings.metricsPort !== undefined;
    const isOpen = this.anonymousDetection !== "no one";
    const attempts = new AttemptLog(this.counters, this.log, stores.deliveries, runtime.now);
    const services = openChannelServices(stores, runtime, {
      allowPrivate: settings.allowPrivate,
      publicUrl: publicUrl?.href,
      listsAndOverrides: () => this.liveLists.home,
      warn: this.log.warn,
      daemon: {
        localUrl: () => (this.listenAddress.loopback ? this.url : undefined),
        proxy: settings.proxy && createProxyFor(runtime.env, settings.proxy),
        onAttempt: (report) => attempts.record(report),
        onMail: (attempt, channelId) => recordMail(this.counters, this.log, attempt, channelId),
      },
    });
    const { deliverer } = services;
    const { records, deliveries } = stores;
    const storeMetrics = createStoreMetrics(records, deliveries, runtime.now);
    deliverer.start();
    this.shutdownSteps.push(() => deliverer.stop(DELIVERIES_LIMIT_MS));
    const routes = listRoutes(settings.page);
    return createRoutes(routes, {
      ...services,
      openPage: () => {
        const version = packageVersion(runtime);
        return openPage(runtime, { version, allowsAnonymous: isOpen, dns: settings.dns !== undefined });
      },
      addressRenderer: () => this.liveLists.addressRenderer,
      domainRenderer: () => this.liveLists.domainRenderer(),
      streamClassifiers: () => this.liveLists.streamClassifiers(),
      streams: this.streams,
      onStreamEnd: (summary) => {
        for (const [classes, rows] of summary.rowsByClassBits()) this.counters.countAddresses(classes, rows);
      },
      findNotReadyReason: () => findNotReadyReason(this.isStopping, records, deliveries),
      damagedFiles: () => this.liveLists.home.damaged,
      dataVersion: () => this.liveLists.dataVersion,
      metrics: lazy(() => this.openMetrics(storeMetrics)),
      // Behind a proxy every peer is loopback.
      metricsAudience: isMetricsPublic ? "everyone" : publicUrl === undefined ? "loopback" : "none",
      document: () =>
        openApiDocument(routes, { version: packageVersion(runtime), publicUrl, anonymousDetection: isOpen }),
    });
  }

  /** Returns a function that counts and logs a request. */
  private createRequestLog(): AppDeps["onFinished"] {
    const { log, settings } = this;
    const accessLog = log.isLevelEnabled("info") ? createAccessLog(log.writeJson, settings.logAddresses) : undefined;
    return (context) => {
      this.counters.countRequest(context);
      accessLog?.(context);
    };
  }

  private createApp(routes: Route[], pathsHint: string, onFinished: AppDeps["onFinished"]): App {
    const { publicUrl, rateLimit, origins, isTrustedProxy } = this.settings;
    return createApp({
      routes,
      pathsHint,
      authorize: createAuthorization({
        check: (text, client) => this.keys.check(text, client),
        refresh: () => this.stores.records.refresh(),
        anonymousDetection: this.anonymousDetection,
        origins,
        rateLimit,
        onKeyFailure: (fault) => increment(this.counters.keyFaults, fault),
        now: () => performance.now(),
      }),
      hostCheck: this.listenAddress.loopback ? createHostCheck(publicUrl) : undefined,
      isTrustedProxy,
      origins,
      secretPaths: SECRET_PATHS,
      onProxyHeader: this.createProxyWarning(),
      isShuttingDown: () => this.isStopping,
      onFinished,
      reportFailure: (failure, { id, routePath, isTruncated }) => {
        const isInputError = isAddrsiftError(failure) && failure.code === "INPUT";
        if (isTruncated && (isInputError || failure instanceof StreamCutError)) {
          this.log.warn("a stream was cut", { id, route: routePath, reason: failure.message });
        } else
          this.log.error("a request failed", {
            id,
            route: routePath,
            failure: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure),
          });
      },
    });
  }

  /** Returns a warning, given once, for requests through a proxy that the settings do not mention. */
  private createProxyWarning(): () => void {
    if (this.settings.publicUrl !== undefined) return () => {};
    const isOpen = this.anonymousDetection === "this machine";
    const danger = isOpen ? "detection and /metrics need no key there" : "mail can't have links to it";
    return lazy(() =>
      this.log.warn(
        `a proxy forwards requests but --public-url is not set, so ${danger}: set --public-url to the proxy's URL`,
      ),
    );
  }

  /** Counts a connection dropped at the limit, and warns once a minute. */
  private countDropped({ maxConnections }: Pick<ServeSettings, "maxConnections">): void {
    this.counters.droppedConnections += 1;
    const message = `${maxConnections} connections are open, others are dropped: raise --max-connections or ulimit -n`;
    this.warnOfDrops(message, { dropped: this.counters.droppedConnections });
  }

  private openMetrics(storeMetrics: ReturnType<typeof createStoreMetrics>): Metrics {
    return createMetrics(require("prom-client"), this.counters, {
      version: packageVersion(this.runtime),
      ...storeMetrics,
      damaged: () => ({ ...storeMetrics.damaged(), ...this.liveLists.home.damaged }),
      dataVersion: () => this.liveLists.dataVersion,
      listsBuilt: () => Date.parse(this.liveLists.home.lists.meta.date) / 1000,
      hasUpdateFailed: () => {
        const { failures = {}, problem } = new HomeLists(this.settings.home.folder).readState();
        return problem !== undefined || Object.keys(failures).length > 0;
      },
      streams: () => this.streams.activeCount,
    });
  }
}

function openPage({ root, load }: Pick<Runtime, "root" | "load">, facts: PageFacts): Page {
  const readAsset = (name: string): string => readFileSync(join(root, "dist/page", name), "utf8");
  return load("../dist/page.cjs").createPage(facts, { script: readAsset("page.js"), style: readAsset("page.css") });
}
