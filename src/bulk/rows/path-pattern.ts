// Matches paths with wildcards. The time is at most proportional to the length of the path times that of the pattern,
// which may come from strangers.

/** A path: FILE, or FOLDER or FOLDER/ for all files in it. `*` matches within a name, `**` also across folders. */
export class PathPattern {
  /** Characters and wildcards. */
  private readonly tokens: readonly string[];

  constructor(pattern: string) {
    this.tokens = stripRoot(pattern).match(/(?:\*\*\/)+|\*+|[^*]/gu) ?? [];
  }

  matches(path: string): boolean {
    const { tokens } = this;
    const isFolder = tokens.at(-1)?.endsWith("/") !== false;
    /** Numbers of tokens, from the first one, that match the characters so far. */
    let counts = new Set<number>();
    const add = (count: number): void => {
      counts.add(count);
      // A wildcard may match nothing.
      if (isWildcard(tokens[count])) add(count + 1);
    };
    add(0);
    for (const character of stripRoot(path)) {
      if (counts.size === 0) return false;
      if (counts.has(tokens.length) && (isFolder || character === "/")) return true;
      const previousCounts = counts;
      counts = new Set();
      for (const count of previousCounts) {
        const token = tokens[count];
        if (token === character) add(count + 1);
        else if (isWildcard(token) && token.endsWith("/")) {
          counts.add(count);
          if (character === "/") add(count + 1);
        } else if (isWildcard(token) && (token !== "*" || character !== "/")) add(count);
      }
    }
    return counts.has(tokens.length);
  }
}

function isWildcard(token: string | undefined): token is string {
  return token?.startsWith("*") === true;
}

function stripRoot(path: string): string {
  return path.replace(/^\.?\//, "");
}
