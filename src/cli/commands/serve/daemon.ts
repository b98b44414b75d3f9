// `addrsift serve`: puts the daemon together and runs it until the last answer. A file of its own in the build, so that other
// commands do not load node:http.

import type { AddressInfo } from "node:net";
import type { Keys } from "../../../keys/keys.ts";
import { openApiDocument } from "../../../server/document/openapi.ts";
import { type App, createApp } from "../../../server/http/app.ts";
import { createAuthorize } from "../../../server/http/authorization.ts";
import { loopbackHosts } from "../../../server/http/host-check.ts";
import { Listener } from "../../../server/http/listener.ts";
import { createAccessLog } from "../../../server/metrics/access-log.ts";
import { Counters } from "../../../server/metrics/counters.ts";
import { createExposition, type Exposition } from "../../../server/metrics/prometheus.ts";
import { ROUTES, routesOver } from "../../../server/routes/table.ts";
import type { Store } from "../../../store/store.ts";
import { openChannelServices } from "../../open/channels.ts";
import { openKeys, openStore } from "../../open/records.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { SERVE } from "../../options/serve.ts";
import type { Runtime } from "../../runtime.ts";
import { signalReceived } from "../../terminal/signals.ts";
import { findListenAddress, type ListenAddress, listenError } from "./listen-address.ts";
import { LiveLists } from "./live-lists.ts";
import { type DaemonLog, openLog } from "./log.ts";
import { type ServeSettings, serveSettings } from "./settings.ts";

// How long a stop waits for silent connections, and for running requests: as long as a request may take.
const QUIET_MS = 500;
const STOP_LIMIT_MS = 20_000;
// Deliveries that take longer are attempted again by another process or the next daemon.
const DELIVERIES_LIMIT_MS = 5000;

/** Runs the daemon until a signal ends it; gives the exit status. */
export async function serve(args: Arguments<typeof SERVE>, runtime: Runtime): Promise<number> {
  const settings = serveSettings(args, runtime);
  const log = openLog(runtime, settings.logLevel);
  const at = await findListenAddress(settings.host, settings.port);
  const daemon = new Daemon(settings, runtime, at, log);
  const ended = signalReceived(runtime.signals);
  const url = await daemon.listen();
  log.info({ url }, `listening on ${url}`);
  const { signal, status } = await ended;
  log.info({ signal }, "stopping: no new connections, running requests are finished");
  await daemon.stop();
  log.info({}, "stopped");
  return status;
}

/** The parts of a running daemon. */
class Daemon {
  private readonly settings: ServeSettings;
  private readonly at: ListenAddress;
  private readonly log: DaemonLog;
  private readonly counters: Counters = new Counters();
  private readonly liveLists: LiveLists;
  private readonly listener: Listener;
  private readonly endings: (() => Promise<void>)[] = [];
  private stopping = false;

  constructor(settings: ServeSettings, runtime: Runtime, at: ListenAddress, log: DaemonLog) {
    this.settings = settings;
    this.at = at;
    this.log = log;
    const warn = (line: string): void => log.warn({}, line);
    const store = openStore({ home: settings.home.folder }, runtime, "unattended", warn);
    const keys = openKeys(store, runtime, warn);
    this.endings.push(() => keys.close());
    // A store that can't be read fails here, not at the first request.
    keys.list();
    this.liveLists = new LiveLists(settings, runtime, {
      note: (found) => this.counters.address(found),
      warn,
      info: (line) => log.info({}, line),
    });
    this.listener = new Listener(this.app(runtime, store, keys), settings);
  }

  /** Listens; gives the URL. Throws AddrsiftError when it can't listen on the address. */
  async listen(): Promise<string> {
    const { server } = this.listener;
    const { host, port } = this.settings;
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => reject(listenError(error, host, port)));
      server.listen(port, this.at.address, 1024, resolve);
    });
    server.on("error", (error) => this.log.error({ error: error.message }, "a connection could not be accepted"));
    const { address, port: taken } = server.address() as AddressInfo;
    return `http://${address.includes(":") ? `[${address}]` : address}:${taken}`;
  }

  /** Answers the running requests, then closes everything. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.listener.stop({ quietMs: QUIET_MS, limitMs: STOP_LIMIT_MS });
    this.liveLists.close();
    for (const end of this.endings) await end();
  }

  private app(runtime: Runtime, store: Store, keys: Keys): App {
    const { home, publicUrl, publicDetect, rateLimit, logAddresses } = this.settings;
    const { loopback } = this.at;
    const warn = (line: string): void => this.log.warn({}, line);
    const services = openChannelServices(
      { home: home.folder, "allow-private": this.settings.allowPrivate },
      runtime,
      store,
      {
        publicUrl: publicUrl?.href,
        lists: () => this.liveLists.lists,
        warn,
        attended: false,
      },
    );
    const { deliverer, deliveries } = services;
    deliverer.start();
    this.endings.push(() => deliverer.stop(DELIVERIES_LIMIT_MS));
    const accessLog = this.log.writes("info") ? createAccessLog(this.log, logAddresses) : undefined;
    const routes = routesOver({
      ...services,
      answers: () => this.liveLists.answers,
      notReady: () => this.notReady(store, deliveries),
      dataVersion: () => this.liveLists.dataVersion,
      exposition: this.exposition(runtime),
      metricsFor: this.metricsFor(),
      document: () => openApiDocument(ROUTES, versionOf(runtime), publicUrl),
    });
    return createApp({
      routes,
      authorize: createAuthorize({
        check: (text) => keys.check(text),
        openDetection: publicDetect || (loopback && publicUrl === undefined),
        rateLimit,
        now: () => performance.now(),
      }),
      hostCheck: loopback ? loopbackHosts(publicUrl) : undefined,
      closing: () => this.stopping,
      observe: (exchange) => {
        this.counters.request(exchange);
        accessLog?.(exchange);
      },
      report: (failure, route) =>
        this.log.error({ route: route?.path, failure: failureText(failure) }, "a request failed"),
    });
  }

  private notReady(store: Store, deliveries: Store): string | undefined {
    if (this.stopping) return "the daemon is stopping: try again when it is back";
    return storeFault(store, STORE_COPY) ?? storeFault(deliveries, DELIVERIES_COPY);
  }

  private metricsFor(): "everyone" | "loopback" | "none" {
    const { metricsPublic, publicUrl } = this.settings;
    // Behind a proxy every peer is a loopback one.
    return metricsPublic ? "everyone" : publicUrl === undefined ? "loopback" : "none";
  }

  private exposition(runtime: Runtime): () => Exposition {
    let exposition: Exposition | undefined;
    return () => {
      exposition ??= createExposition(runtime.load("prom-client"), this.counters, {
        version: versionOf(runtime),
        dataVersion: () => this.liveLists.dataVersion,
        connections: () => this.listener.connections,
      });
      return exposition;
    };
  }
}

const STORE_COPY =
  "the store is damaged and its previous copy is used, so a key that was revoked last may work again: nothing is changed or sent until an operator has fixed it";
const DELIVERIES_COPY = "the store of deliveries is damaged: nothing is sent until an operator has fixed it";

/** What is wrong with a store, without its path; `copyUsed` when its previous copy is in use. */
function storeFault(store: Store, copyUsed: string): string | undefined {
  try {
    return store.damaged() ? copyUsed : undefined;
  } catch {
    return "the store can't be read: the daemon's log says why";
  }
}

function versionOf(runtime: Runtime): string {
  return runtime.load("../package.json").version;
}

function failureText(failure: unknown): string {
  return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}
