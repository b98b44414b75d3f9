// What must hold over data/mail-exchangers.tsv, whatever anyone adds: the seeds found, shared infrastructure silent, sources real.

import { describe, expect, it } from "vitest";
import { readHandKept } from "../../src/curation/read-data.ts";
import { judgeRouting } from "../../src/detection/routing-evidence.ts";
import { lists, ROOT } from "../helpers/classify.ts";

const { exchanges, relays } = readHandKept(ROOT);
const judge = (exchange: string): ReturnType<typeof judgeRouting> =>
  judgeRouting({ status: "ok", exchanges: [{ preference: 1, exchange }] }, lists, 0);

// Each seen in a public issue or source as the exchanger of a service of throw-away addresses.
const SEEDS = `in.mail.tm mx.mail-data.net mx.discard.email mx1.mytemp.email mx2.mytemp.email mx3.mytemp.email
mail.wallywatts.com mxa.tempamail.com mxb.tempamail.com mxc.tempamail.com mxd.tempamail.com mxe.tempamail.com
mxf.tempamail.com hi.mail.cx tmail.delivery mx2.den.yt mail.temporary-mail.net mail.dustmail.net mx.moakt.com
mx.temp-mail.io prd-smtp.10minutemail.com smtp.yopmail.com mail.mailinator.com mailnesia.com mx.1secmail.com
generator.email emailfake.com mx.dropmail.me mail.getnada.com mail.guerrillamail.com recv7.erinn.biz`.split(/\s+/);

const SHARED =
  `route1.mx.cloudflare.net aspmx.l.google.com alt4.aspmx.l.google.com aspmx2.googlemail.com smtp.google.com
example-com.mail.protection.outlook.com eur.olc.protection.outlook.com mx1.privateemail.com eforward1.registrar-servers.com
mx.zoho.com mx2.zoho.eu mx.yandex.net mail.protonmail.ch inbound-smtp.us-west-2.amazonaws.com mxa.mailgun.org
in1-smtp.messagingengine.com mx1.mail.ovh.net smtp.secureserver.net mx00.ionos.de mx.sendgrid.net park-mx.above.com
mx1.hostinger.com mx1.titan.email fwd1.porkbun.com mx01.mail.icloud.com mxa-001.pphosted.com us-smtp-inbound-1.mimecast.com
mx-ha02.web.de mx00.gmx.net mta5.am0.yahoodns.net mx1.qq.com in.mail.ru.mail.ru mail.h-email.net mx37.mxroute.com`.split(
    /\s+/,
  );

const RELAYS: readonly (readonly [exchange: string, provider: string])[] = [
  ["mx1.simplelogin.co", "simplelogin"],
  ["mail.anonaddy.me", "addy_io"],
  ["mail2.anonaddy.me", "addy_io"],
  ["mx1.alias.proton.me", "proton_pass"],
  ["mx1.forwardemail.net", "forward_email"],
  ["mx2.improvmx.com", "improvmx"],
  ["smtp-inbound1.duck.com", "duckduckgo"],
];

describe("the list of mail exchangers", () => {
  it.each(SEEDS)("calls %s disposable", (exchange) => {
    expect(judge(exchange)).toMatchObject({ disposable: true, relayProvider: undefined });
  });

  it.each(SHARED)("says nothing by %s", (exchange) => {
    expect(judge(exchange)).toEqual({ answered: true, disposable: false, relayProvider: undefined, matches: [] });
  });

  it.each(RELAYS)("knows %s as a relay's", (exchange, provider) => {
    expect(judge(exchange)).toMatchObject({ disposable: false, relayProvider: provider });
  });

  it("has a source in each row that others can look up", () => {
    const vague = [...exchanges.values()].filter(
      ([, , , , source = ""]) => !/https:\/\/|github\.com\/|[\w-]+\/[\w-]+#\d+|docs\/STATISTICS\.md/.test(source),
    );
    expect(vague).toEqual([]);
  });

  it("calls relays by the names that data/relays.tsv uses, where it has them", () => {
    const named = new Set([...relays.values()].map(([, provider]) => provider));
    const onlyByExchange = new Set(["forward_email", "improvmx"]);
    for (const [host, , ofClass, provider = ""] of exchanges.values()) {
      if (ofClass === "relay") expect(named.has(provider) || onlyByExchange.has(provider), host).toBe(true);
    }
  });

  it("calls no relay, mailbox provider or protected host's exchanger disposable", () => {
    const wrong = [...exchanges.values()].filter(([host = "", match, ofClass]) => {
      if (match === "address" || ofClass !== "disposable") return false;
      const settling = judge(`x.${host}`).matches.concat(judge(host).matches);
      return settling.some(({ flag }) => flag !== "disposable");
    });
    expect(wrong).toEqual([]);
  });
});
