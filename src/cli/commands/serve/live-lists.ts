// The ground of the daemon's verdicts: the lists in use and the overrides, read again when their files change, and live
// DNS. There is one detector at a time; running requests keep the one that they started with.

import type { Policy } from "../../../bulk/run/settings.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { Detector } from "../../../detection/detector.ts";
import type { MailResolver, MailRouting } from "../../../detection/routing.ts";
import { createDnsResolver } from "../../../dns/create.ts";
import { FollowedHome } from "../../../home/followed-home.ts";
import { requireVersion } from "../../../lists/meta.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { DetectionAnswers, type NoteClass } from "../../../server/routes/detect/rendering.ts";
import { StreamClassifiers } from "../../../server/routes/stream/run.ts";
import { BULK_CACHE_ENTRIES, builtInLists, classifierSetup, type Known } from "../../open/known.ts";
import type { Runtime } from "../../runtime.ts";
import type { ServeSettings } from "./settings.ts";

// One stat call a second costs nothing.
const LOOK_EVERY_MS = 1000;

/** Receives warnings and notes about the lists, and the result of each address. */
export interface LiveListsPorts {
  readonly note: NoteClass;
  /** The same of each domain that was asked about without an address. */
  readonly noteDomain: NoteClass;
  /** Receives each routing that DNS gave, or that was kept. */
  readonly routed: (routing: MailRouting) => void;
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** The lists in use, kept current. The timer keeps no process alive. */
export class LiveLists {
  answers: DetectionAnswers;
  private readonly home: FollowedHome;
  /** Kept when the lists change, with its cached answers. */
  private readonly resolver: MailResolver | undefined;
  private readonly timer: NodeJS.Timeout;
  private ofDomains: DetectionAnswers | undefined;
  private ofStreams: StreamClassifiers | undefined;

  /** Throws AddrsiftError when no usable lists exist, or the overrides can't be used. */
  constructor(
    private readonly settings: ServeSettings,
    runtime: Runtime,
    private readonly ports: LiveListsPorts,
  ) {
    this.resolver = settings.dns === undefined ? undefined : observed(createDnsResolver(settings.dns), ports.routed);
    this.home = new FollowedHome(settings.home, {
      builtIn: () => builtInLists(runtime.root, "whole"),
      now: runtime.now,
      warn: ports.warn,
      accepts: (lists) => this.isWanted(lists),
    });
    requireVersion(this.home.lists, settings.dataVersion);
    this.answers = this.answersAbout("address");
    this.timer = setInterval(() => this.refresh(), LOOK_EVERY_MS).unref();
  }

  get dataVersion(): string {
    return this.answers.detector.dataVersion;
  }

  get known(): Known {
    return { lists: this.home.lists, overrides: this.home.overrides };
  }

  /** Answers about domains, by the same lists. Made when first asked for: many daemons never are. */
  get domainAnswers(): DetectionAnswers {
    this.ofDomains ??= this.answersAbout("domain");
    return this.ofDomains;
  }

  /** The ground of streams, over the same lists. */
  get streamClassifiers(): StreamClassifiers {
    this.ofStreams ??= new StreamClassifiers(this.settings.policy, this.setups(), this.resolver);
    return this.ofStreams;
  }

  /** True while the file of overrides can't be used, and those read before stay in force. */
  get overridesDamaged(): boolean {
    return this.home.overridesDamaged;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refresh(): void {
    const { lists, overrides } = this.home.refresh();
    if (lists || overrides) this.renew();
    if (overrides) this.ports.info(`${this.home.overrides.size} overrides are now in use`);
    if (lists) this.ports.info(`lists ${this.dataVersion} are now in use`);
  }

  private isWanted({ meta }: CompiledLists): boolean {
    const { dataVersion: wanted } = this.settings;
    if (wanted === undefined || meta.dataVersion === wanted) return true;
    this.ports.warn(
      `the home has lists ${meta.dataVersion}, but --data-version is ${wanted}, so the previous lists stay in use`,
    );
    return false;
  }

  private renew(): void {
    this.answers = this.answersAbout("address");
    this.ofDomains = undefined;
    this.ofStreams = undefined;
  }

  private answersAbout(subject: "address" | "domain"): DetectionAnswers {
    const { settings, ports } = this;
    const setup = this.setups()({ ...settings.policy, subject });
    const note = subject === "domain" ? ports.noteDomain : ports.note;
    return new DetectionAnswers(new Detector(setup, this.resolver), note, subject);
  }

  /** Makes setups over the lists and overrides of the moment. */
  private setups(): (policy: Policy) => ClassifierSetup {
    const { known } = this;
    return (policy) => classifierSetup(policy, known, BULK_CACHE_ENTRIES);
  }
}

function observed(resolver: MailResolver, note: (routing: MailRouting) => void): MailResolver {
  return {
    route: async (...question) => {
      const routing = await resolver.route(...question);
      note(routing);
      return routing;
    },
  };
}
