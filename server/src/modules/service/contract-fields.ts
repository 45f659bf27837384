/**
 * Fields that every kind of service has, each with its rule (interface document, Resources; decisions 4).
 * Pure: the CLI and the client import it.
 */
import { z } from 'zod';
import { appNamePattern } from '../../domain/names/names.ts';
import { leastPids, parseCpus, parseMemory, usualPids } from '../../domain/resources/resources.ts';
import { applicationStatuses } from '../../domain/states/lifecycle.ts';
import { splitWords } from '../../domain/text/words.ts';
import { referring } from '../../procedure/input/references.ts';
import { ruled } from '../../procedure/input/ruled.ts';

const lines = new Map<number, z.ZodString>();

/** Text without line breaks: names, paths, addresses. Fields of the same length share one. */
export function line(max: number): z.ZodString {
  const schema =
    lines.get(max) ??
    z
      .string()
      .max(max)
      .regex(/^[^\r\n]*$/, 'must be one line');
  lines.set(max, schema);
  return schema;
}

/** The path of an address. One pattern: generators of clients make no type of two. */
export const urlPath = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .regex(/^\/[^\r\n]*$/, 'must begin with / and be one line');

/** What the client of a database's image is given: SQL, commands of redis-cli, JavaScript for mongosh. */
export const clientStatements = z
  .string()
  .min(1)
  .max(30_000)
  .regex(/^[^\0]*$/, 'must not contain null characters');

/** A git address where one has to be given, and its branch. */
export const gitUrl = line(2000).min(1);
export const gitBranch = line(250).min(1);

/** Exactly one of both services is named. */
export function requireOneService(
  { applicationId, composeId }: Partial<Record<'applicationId' | 'composeId', string | null | undefined>>,
  context: z.RefinementCtx,
): void {
  const fault = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (!applicationId && !composeId) fault('applicationId', 'is required, or composeId');
  if (applicationId && composeId) fault('composeId', 'names another service beside applicationId');
}

/** Variables in the dotenv grammar. */
export const block = referring(z.string().max(500_000));
export const variableName = z
  .string()
  .max(1000)
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/, 'must be the name of a variable');
/** Variables that are never given back. */
export const secretEnvFields = {
  secretEnv: block
    .nullable()
    .describe(
      'KEY=VALUE lines that are never shown again: each line sets one variable, the others stay; null ' +
        'removes all. They take precedence over env',
    ),
  removeSecretEnv: z.array(variableName).max(1000).describe('Names of secret variables to remove'),
} as const;
/** One argument of a command; data, never read by a shell. */
export const argument = z.string().max(10_000);

/** A command: its words, at least one, or one text of them. */
export function argv(most: number) {
  const words = z.array(argument).min(1).max(most);
  const asText = z.string().max(100_000).transform(wordsOf).pipe(words);
  return z.union([words, asText], { error: ({ input }) => unfit(input, most) });
}

function wordsOf(text: string, context: z.RefinementCtx): string[] {
  try {
    return splitWords(text, 'value');
  } catch {
    // Said with the rest of the rule, by `unfit`.
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }
}

function unfit(input: unknown, most: number): string | undefined {
  if (input === undefined) return undefined;
  return `must be 1 to ${most} words: a list of them, or one text with every quote closed`;
}

/** How the last action on a service ended, or that one is under way. */
export const serviceStatus = z.enum(applicationStatuses).meta({ id: 'ServiceStatus' });

export const id = z.string().min(1).max(100);
export const serverId = id
  .nullish()
  .describe('Server it will run on, absent: this one; required in a cloud installation');
/** A name that may be empty, without the blanks around it: ` shop` is `shop`. A line break is refused. */
export const trimmedLine = z
  .string()
  .regex(/^[^\r\n]*$/, 'must be one line')
  .trim()
  .max(100);
export const name = trimmedLine.min(1);
export const description = z.string().max(1000).nullable();
export const appName = z
  .string()
  .regex(appNamePattern, 'must be 1 to 63 letters, digits, - or _, and begin and end with a letter or digit');

const memory = ruled(z.string().max(30), parseMemory);
const cpu = ruled(z.string().max(30), parseCpus);

/** Resources, command and arguments of what runs. */
export const runtimeFields = {
  memoryLimit: memory.nullable(),
  memoryReservation: memory.nullable(),
  cpuLimit: cpu.nullable(),
  cpuReservation: cpu.nullable(),
  pidsLimit: z
    .number()
    .int()
    .min(leastPids)
    .max(usualPids)
    .nullable()
    .describe(`Most processes and threads of a container; null: ${usualPids}`),
  command: z
    .string()
    .max(10_000)
    .nullable()
    .describe("Replaces the image's entrypoint; split into words as a shell would, but never run by one"),
  args: z.array(argument).max(1000).nullable(),
} as const;

export const revision = z.number().describe('Increases with each change of settings or variables');

/** Of the input of a change. */
export const givenRevision = z
  .number()
  .int()
  .min(0)
  .optional()
  .describe('The revision that was read before; refused with 409 if somebody has changed it since');
