// What the daemon classifies with: the lists in use, taken anew when their file changes, and live DNS. One detector at a time; requests
// under way keep the one they began with.

import { Detector } from "../../../detection/detector.ts";
import type { MailResolver } from "../../../detection/routing.ts";
import { createDnsResolver } from "../../../dns/create.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { DetectionAnswers, type NoteClass } from "../../../server/routes/detect/rendering.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, dnsOptions, type Host } from "../../open/compose.ts";
import { listsMark, openListsInUse, warningText } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";

// One stat a second costs nothing.
const LOOK_EVERY_MS = 1000;
const IN_USE_BEFORE = "those from before stay in use";

/** Where words about the lists go, and what each address turned out to be. */
export interface KnowledgePorts {
  readonly note: NoteClass;
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** The lists, kept fresh. Its timer keeps no process alive. */
export class Knowledge {
  /** Answers by the detector of the moment. */
  answers: DetectionAnswers;
  /** The lists of the moment. */
  lists: CompiledLists;
  private readonly args: Arguments;
  private readonly host: Host;
  private readonly ports: KnowledgePorts;
  /** Its memory of answers outlives the lists. */
  private readonly resolver: MailResolver | undefined;
  private readonly timer: NodeJS.Timeout;
  private mark: string | undefined;

  /** Throws AddrsiftError when there are no lists that can be used. */
  constructor(args: Arguments, host: Host, ports: KnowledgePorts) {
    this.args = args;
    this.host = host;
    this.ports = ports;
    this.resolver = args.text("dns") === "off" ? undefined : createDnsResolver(dnsOptions(args));
    this.mark = listsMark(this.args);
    const { lists, warning } = openListsInUse(args, host, "whole");
    if (warning !== undefined) ports.warn(warningText(warning));
    this.lists = lists;
    this.answers = this.answersBy(lists);
    this.timer = setInterval(() => this.refresh(), LOOK_EVERY_MS).unref();
  }

  get dataVersion(): string {
    return this.answers.detector.dataVersion;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refresh(): void {
    try {
      const mark = listsMark(this.args);
      if (mark === this.mark) return;
      this.mark = mark;
      const { lists, warning } = openListsInUse(this.args, this.host, "whole");
      // Those that serve are better than going back to the built-in ones for a file that somebody spoiled.
      if (warning !== undefined) this.ports.warn(warningText(warning, IN_USE_BEFORE));
      else this.use(lists);
    } catch (error) {
      this.ports.warn(`can't read any lists, so ${IN_USE_BEFORE}: ${(error as Error).message}`);
    }
  }

  private use(lists: CompiledLists): void {
    this.lists = lists;
    this.answers = this.answersBy(lists);
    this.ports.info(`lists ${this.dataVersion} serve now`);
  }

  private answersBy(lists: CompiledLists): DetectionAnswers {
    const setup = classifierSetup(this.host, this.args, lists, BULK_CACHE_ENTRIES);
    return new DetectionAnswers(new Detector(setup, this.resolver), this.ports.note);
  }
}
