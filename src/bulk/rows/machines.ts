// Addresses that services use as authors and committers. They identify no person, and people who merge such commits
// can't change them. Addresses that start with noreply need no entry. All sources are of November 2026.

/** Service and source of each address. */
const SERVICES = {
  "support@github.com": "Dependabot: Signed-off-by in its commits, issue 3480 of dependabot-core",
  "action@github.com": "GitHub Actions: user.email in public workflows",
  "actions@github.com": "GitHub Actions: user.email in public workflows",
  "github-actions@github.com": "GitHub Actions: user.email in public workflows",
  "copilot@github.com": "GitHub Copilot: Co-authored-by in public commits",
  "bot@renovateapp.com": "Renovate: its former default of gitAuthor, in its source",
  "renovate@whitesourcesoftware.com": "Renovate: its default of gitAuthor, in its source",
  "snyk-bot@snyk.io": "Snyk: its documentation about signed commits of its pull requests",
  "commits-noreply@bitbucket.org": "Bitbucket Pipelines: user.email in public build scripts, also of Atlassian",
  "hosted@weblate.org": "Weblate: its documentation about the user of Hosted Weblate",
  "support+bot@crowdin.com": "Crowdin: the default of github_user_email, README of its action",
  "semantic-release-bot@martynus.net": "semantic-release: COMMIT_EMAIL in its source",
  "github-bot@pyup.io": "PyUp: author in public changelogs",
  "imgbothelp@gmail.com": "Imgbot: its documentation, author and committer",
  "me@scala-steward.org": "Scala Steward: its FAQ, the key of its commits",
  "commits@restyled.io": "Restyled: the default of committer-email, README of its action",
  "bot@styleci.io": "StyleCI: author and Co-authored-by in public commits",
  "bot@stepsecurity.io": "StepSecurity: Signed-off-by in its pull requests",
  "bot@deepsource.io": "DeepSource: author in public commits",
  "cursoragent@cursor.com": "Cursor: Co-authored-by in public commits",
  "openhands@all-hands.dev": "OpenHands: Co-authored-by in its agent's instructions",
  "amp@ampcode.com": "Amp: Co-authored-by in public commits",
} as const;

/** Patterns of other addresses in the class `hidden`, in lower case. */
export const HIDDEN_PATTERNS: readonly RegExp[] = [
  // Machines and calendars, as in data/protected.tsv. Not WhatsApp's: these identify people. Also bots of GitLab's access
  // tokens, at any server (`CreateService` of `resource_access_tokens` in its source), UIDs of events in Google
  // Calendar's files (`id` and `iCalUID` of Events in its API's reference), and names of SSH algorithms and requests
  // (RFC 4251 §6; PROTOCOL of OpenSSH; curve25519-sha256@libssh.org in libssh), and users of Amazon EC2's hosts.
  /[@.](?:(?:gserviceaccount|noreply\.github|(?:group|resource)(?:\.v)?\.calendar\.google|compute(?:-1)?\.amazonaws)\.com$|noreply\.(?<=^(?:project|group)_?\d+_bot\w*@noreply\.)|openssh\.com$(?<!^openssh@.*)|libssh\.org$(?<=-sha\d+@.*)|google\.com$(?<=^[a-v\d]{26}(?:_r\d{8}(?:t\d{6})?)?@google\.com))/,
  // Placeholders, as in documentation and tests of Ansible, Celery, Documenso and Laravel. Other names at such domains may
  // be people's.
  /^your(?:(?:[-_.]?(?:own|user|e?mail|gmail|name|account|address|login|id|here))+(?:[-_.+\d][\w.+-]*)?)?@/,
  /[@.]your(?:[-_]?(?:own|domain|company|org|host|server|site|web|app|business|project|team|name|here))+(?:[-_\d][\w-]*)?\.[a-z.]+$/,
  // RFC 2606 reserves `example` in com, net and org only, but it is a placeholder in other domains too.
  /[@.]example\.(?:[a-z]{2,3}\.)?[a-z]{2,}$/,
  // These names may be people's at mail.com, mail.ru and other mail providers.
  /^(?:you|user(?:[-_.]?name)?|(?:first|last)?[-_.]?name|first(?:[-_.]?name)?[-_.]last(?:[-_.]?name)?|e?mail|example|some(?:one|body|[-_.]?user)|j(?:ohn|ane)[-_.]?doe)(?:\d*@(?:(?:my|some)-?)?(?:domain|company|host|server|site|website|provider|test|foo)|@(?:my|some|your)-?e?mail)\.(?:(?:com?|org|net)\.)?[a-z]{2,}$/,
  // A shared inbox names no person, and `my` or `some` marks the domain as a placeholder: company.com has real inboxes.
  /^(?:admin|billing|contact|hello|hr|info|jobs|no-?reply|office|sales|support)@(?:my|some)-?(?:domain|company|site|website)\.(?:com?|org|net)$/,
  // IANA reserved one-letter names in 1993. This leaves out those registered before, and o.com, which may be sold.
  /[@.](?:[a-npr-wy]\.com|[a-hj-pr-z]\.net)$/,
  // Addresses for trying out forms. These domains have owners, so other names there may be people's.
  /^(?:test\d*@test|admin@admin)\.[a-z]{2,3}$/,
  // Metasyntactic words (RFC 3092) as name and domain, or `test` as name. Not bar and baz, which are people's names.
  /^(?:foo(?:bar)?|qu+x|xxx+|test\d*)@(?:foo(?:bar)?|bar|baz|qu+x|xxx+)\.(?:com|org|net|bar)$/,
];

/** Addresses of SERVICES, in lower case. */
export const MACHINE_ADDRESSES: ReadonlySet<string> = new Set(Object.keys(SERVICES));
