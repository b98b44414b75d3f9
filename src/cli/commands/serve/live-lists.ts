// What the daemon classifies with: the lists in use and the overrides, read again when their files change, and live DNS. There is one detector at a
// time; running requests keep the one that they started with.

import type { Policy } from "../../../bulk/run/settings.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { Detector } from "../../../detection/detector.ts";
import type { MailResolver, MailRouting } from "../../../detection/routing.ts";
import { createDnsResolver } from "../../../dns/create.ts";
import { FollowedOverrides } from "../../../home/overrides.ts";
import { requireVersion } from "../../../lists/meta.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { DetectionAnswers, type NoteClass } from "../../../server/routes/detect/rendering.ts";
import { StreamGround } from "../../../server/routes/stream/ground.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, type Known } from "../../open/classifier.ts";
import { listsMark, openListsInUse, warningText } from "../../open/lists.ts";
import type { Runtime } from "../../runtime.ts";
import type { ServeSettings } from "./settings.ts";

// One stat call a second costs nothing.
const LOOK_EVERY_MS = 1000;
const IN_USE_BEFORE = "the previous lists stay in use";

/** Receives warnings and notes about the lists, and the result of each address. */
export interface LiveListsPorts {
  readonly note: NoteClass;
  /** The same of each domain that was asked about alone. */
  readonly noteDomain: NoteClass;
  /** Receives each routing that DNS gave, or that was kept. */
  readonly routed: (routing: MailRouting) => void;
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** The lists in use, kept current. The timer keeps no process alive. */
export class LiveLists {
  /** Answers with the current detector. */
  answers: DetectionAnswers;
  private lists: CompiledLists;
  private readonly settings: ServeSettings;
  private readonly runtime: Runtime;
  private readonly ports: LiveListsPorts;
  private readonly overrides: FollowedOverrides;
  /** Kept when the lists change, with its cached answers. */
  private readonly resolver: MailResolver | undefined;
  private readonly timer: NodeJS.Timeout;
  private mark: string | undefined;
  private ofDomains: DetectionAnswers | undefined;
  private ofStreams: StreamGround | undefined;

  /** Throws AddrsiftError when no usable lists exist, or the overrides can't be used. */
  constructor(settings: ServeSettings, runtime: Runtime, ports: LiveListsPorts) {
    this.settings = settings;
    this.runtime = runtime;
    this.ports = ports;
    this.resolver = settings.dns === undefined ? undefined : observed(createDnsResolver(settings.dns), ports.routed);
    this.overrides = new FollowedOverrides(settings.home.folder, runtime.now, ports.warn);
    this.mark = listsMark(settings.home);
    const { lists, warning } = openListsInUse(settings.home, runtime.root, "whole");
    if (warning !== undefined) ports.warn(warningText(warning));
    requireVersion(lists.meta, settings.dataVersion);
    this.lists = lists;
    this.answers = this.answersAbout("address");
    this.timer = setInterval(() => this.refresh(), LOOK_EVERY_MS).unref();
  }

  get dataVersion(): string {
    return this.answers.detector.dataVersion;
  }

  /** The current lists and overrides. */
  get known(): Known {
    return { lists: this.lists, overrides: this.overrides.current };
  }

  /** Answers about domains, by the same lists. Made when first asked for: many daemons never are. */
  get domainAnswers(): DetectionAnswers {
    this.ofDomains ??= this.answersAbout("domain");
    return this.ofDomains;
  }

  /** What streams classify with, by the same lists. */
  get streamGround(): StreamGround {
    this.ofStreams ??= new StreamGround(this.settings.policy, this.setups(), this.resolver);
    return this.ofStreams;
  }

  /** True while the file of overrides can't be used, and those read before stay in force. */
  get overridesDamaged(): boolean {
    return this.overrides.damaged;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refresh(): void {
    if (this.overrides.refresh()) {
      this.renew();
      this.ports.info(`${this.overrides.current.size} overrides are now in use`);
    }
    try {
      const mark = listsMark(this.settings.home);
      if (mark === this.mark) return;
      this.mark = mark;
      const { lists, warning } = openListsInUse(this.settings.home, this.runtime.root, "whole");
      // The lists in use are newer than the built-in ones, so they stay when the file is damaged.
      if (warning !== undefined) this.ports.warn(warningText(warning, IN_USE_BEFORE));
      else this.use(lists);
    } catch (error) {
      this.ports.warn(`can't read any lists, so ${IN_USE_BEFORE}: ${(error as Error).message}`);
    }
  }

  private use(lists: CompiledLists): void {
    const { dataVersion: wanted } = this.settings;
    if (wanted !== undefined && lists.meta.dataVersion !== wanted) {
      this.ports.warn(
        `the home has lists ${lists.meta.dataVersion}, but --data-version is ${wanted}, so ${IN_USE_BEFORE}`,
      );
      return;
    }
    this.lists = lists;
    this.renew();
    this.ports.info(`lists ${this.dataVersion} are now in use`);
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
    const { runtime, known } = this;
    return (policy) => classifierSetup(policy, runtime, known, BULK_CACHE_ENTRIES);
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
