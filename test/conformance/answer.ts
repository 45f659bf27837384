/** What holds for every answer of every procedure, whoever asked what. */
import { errorCodes, flatRefusals } from '../../server/src/domain/errors.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { errorResponses } from '../../server/src/transport/openapi/openapi-errors.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Form } from '../e2e/fixtures/caller.ts';
import type { Answer } from '../http/call.ts';
import { hiddenTexts } from '../world/fixtures.ts';
import { documentFault } from './served-answers.ts';

/**
 * What is wrong with the answer by itself: no JSON, a status that the OpenAPI document does not have, a value
 * with more or other fields than its schema, a text that must stay inside.
 */
export function faultOfAnswer(procedure: NamedProcedure, answer: Answer, form: Form): string | undefined {
  const { status, body, text, headers } = answer;
  if (
    headers.get('content-type') !== 'application/json; charset=utf-8' ||
    (typeof body === 'string' && body === text)
  )
    return 'no JSON';
  const hidden = Object.entries(hiddenTexts).find(([, secret]) => text.includes(secret));
  if (hidden) return `shows ${hidden[0]}`;
  if (status === 200) {
    const value = valueIn(answer, form);
    return valueFault(procedure, value) ?? documentFault(procedure.path, value);
  }
  if (!documentedStatuses(procedure).includes(status))
    return `${status} is not among the refusals that the procedure declares`;
  return isFlatAnswer(body) || isEnvelope(body, status) ? undefined : 'no envelope';
}

/** The value of a good answer. */
export function valueIn({ body }: Answer, form: Form): unknown {
  if (form === 'b') return body;
  const result: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'result') : undefined;
  return typeof result === 'object' && result !== null ? Reflect.get(result, 'data') : undefined;
}

export function isFlatAnswer(body: unknown): boolean {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  return typeof error === 'string' && Object.hasOwn(flatRefusals, error);
}

const known = new Map<string, number[]>();

/** Its refusals, and 405, which is about another operation. */
function documentedStatuses({ path, procedure }: NamedProcedure): number[] {
  const statuses = known.get(path) ?? [405, ...Object.keys(errorResponses(procedure)).map(Number)];
  known.set(path, statuses);
  return statuses;
}

/** The schema takes unknown fields away, so that a value with one differs from what it gives back. */
function valueFault(
  { procedure: { kind, output: own, whole } }: NamedProcedure,
  value: unknown,
): string | undefined {
  const output = whole?.output ?? own;
  const values: unknown[] = kind === 'subscription' && whole === undefined ? linesOf(value) : [value];
  for (const one of values) {
    const parsed = output.safeParse(one);
    if (!parsed.success)
      return `is not what its schema says: ${JSON.stringify(parsed.error.issues).slice(0, 300)}`;
    if (!isDeepStrictEqual(parsed.data, one)) return 'has fields that its schema does not have';
  }
  return undefined;
}

function linesOf(value: unknown): unknown[] {
  const lines: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'lines') : undefined;
  return Array.isArray(lines) ? lines : [value];
}

function isEnvelope(body: unknown, status: number): boolean {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return Object.entries(errorCodes).some(([name, { httpStatus }]) => name === code && httpStatus === status);
}
