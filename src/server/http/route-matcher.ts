// The way from a method and a path to a route.

import type { Route } from "./route.ts";

/** What a path leads to: its routes by method, the values between its braces, and the methods as `Allow` lists them. */
export interface RouteMatch {
  /** As in the route table. */
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly allow: string;
  readonly params: readonly string[];
}

interface Pattern {
  readonly segments: readonly string[];
  readonly found: RouteMatch;
}

/** More segments than any path of ours has. */
const SEGMENTS_MAX = 16;
const NO_PARAMS: readonly string[] = [];

/** Gives for a path what it leads to, or undefined. Paths are taken as they are: nothing is decoded or normalized. */
export function createRouteMatcher(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const fixed = new Map<string, RouteMatch>();
  const patterns: Pattern[] = [];
  for (const [path, rows] of groupByPath(routes)) {
    const found = foundOf(path, rows);
    if (path.includes("{")) patterns.push({ segments: path.split("/"), found });
    else fixed.set(path, found);
  }
  return (path) => fixed.get(path) ?? matchPattern(patterns, path);
}

function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const group = groups.get(route.path);
    if (group === undefined) groups.set(route.path, [route]);
    else group.push(route);
  }
  return groups;
}

/** A GET answers HEAD as well (RFC 9110 §9.3.2); Node leaves out the body. */
function foundOf(path: string, rows: readonly Route[]): RouteMatch {
  const byMethod = new Map<string, Route>();
  for (const route of rows) {
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
  }
  return { path, byMethod, allow: [...byMethod.keys()].join(", "), params: NO_PARAMS };
}

function matchPattern(patterns: readonly Pattern[], path: string): RouteMatch | undefined {
  // Not more parts than tell that there are too many.
  const parts = path.split("/", SEGMENTS_MAX + 1);
  for (const { segments, found } of patterns) {
    if (segments.length !== parts.length) continue;
    const fits = segments.every((segment, i) => (segment.startsWith("{") ? parts[i] !== "" : segment === parts[i]));
    if (!fits) continue;
    const params = parts.filter((_, i) => segments[i]?.startsWith("{"));
    return { ...found, params };
  }
  return undefined;
}
