// What most bodies and answers have in common.

import { closed, constant, type Fields, named, type Shape, text } from "../../base/shapes.ts";
import type { RouteBody } from "../http/route.ts";

/** The limit of every body but the batch's, in octets. */
const BODY_LIMIT = 64 * 1024;

/** A JSON body of this shape. */
export function jsonBody(shape: Shape, limitBytes: number = BODY_LIMIT): RouteBody {
  return { limitBytes, types: ["application/json"], shape };
}

/** A good answer with these fields, by its name in the document. */
export function answerOf(name: string, fields: Fields): Shape {
  return named(name, closed({ code: constant("SUCCESS"), ...fields }));
}

/** A good answer that says something and has data. */
export function dataAnswer(name: string, data: Shape): Shape {
  return answerOf(name, { message: text(), data });
}
