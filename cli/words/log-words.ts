/** `berth logs`: the output of services, several at once. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import type { LogEvent } from '../../server/src/procedure/log-event.ts';
import type { Format } from '../look.ts';
import { wantsColor } from '../look.ts';
import { printable, printableJson, printableLine } from '../output/printable.ts';
import { UsageError } from '../usage-error.ts';
import type { Context } from './parts/context.ts';
import { databaseCalls, type LogLine } from './parts/database-calls.ts';
import { nameOf, servicesOf, type Service } from './parts/services.ts';
import { numberOf } from './status.ts';
import type { Word } from './parts/word.ts';

interface Wanted {
  tail: number;
  /** ISO 8601. */
  since: string | undefined;
  grep: string | undefined;
  /** Of tasks that ended, not of those that run. */
  isEnded: boolean;
}

type Print = (service: Service, line: { text: string; at?: string | undefined }) => void;

/** Most lines that a procedure gives at once. */
const mostLines = 10_000;
const pollMs = 2000;

export const logs: Word = {
  name: 'logs',
  usage: '[service …]',
  summary: 'shows the output of services',
  description:
    'Shows the newest lines of each service, ordered by time; with -f also new lines as they arrive. With ' +
    'several services, each line begins with the name of its service. In a pipe lines are text; --json ' +
    'makes each an object.',
  options: {
    follow: { short: 'f', description: 'keeps printing new lines until ctrl-C' },
    since: { value: 'TIME', description: 'only lines since then: 30s, 15m, 2h, 3d, or 2026-01-31T12:00:00Z' },
    grep: { short: 'g', value: 'TEXT', description: 'only lines that contain the text' },
    tail: { short: 'n', value: 'NUMBER', description: 'number of newest lines of each; default: 200' },
    ended: { description: 'output kept from ended tasks: earlier releases, crashes, stops' },
    times: { short: 't', description: 'shows the time before each line' },
  },
  calls: [
    'project.all',
    'application.readLogs',
    'application.logs',
    'compose.readLogs',
    'service.endedTasks',
    'service.endedOutput',
    'postgres.readLogs',
    'postgres.logs',
  ],
  async run(context) {
    const { client } = await context.berth();
    const services = await servicesOf(context, context.args);
    const since = sinceOf(context.text('since'), context.terminal.now());
    const wanted = {
      tail: numberOf(context, 'tail', since === undefined ? 200 : mostLines),
      since,
      grep: context.text('grep'),
      isEnded: context.is('ended'),
    };
    if (wanted.isEnded && context.is('follow'))
      throw new UsageError('Ended tasks write nothing more: --ended cannot be combined with --follow.');
    const print = printerOf(context, services);
    if (!context.is('follow')) return showPast(client, services, wanted, print);
    const { signal } = context.terminal;
    await Promise.all(services.map((service) => followOne(client, service, wanted, print, signal)));
  },
};

async function showPast(
  client: Client,
  services: readonly Service[],
  wanted: Wanted,
  print: Print,
): Promise<void> {
  const lots = await Promise.all(
    services.map(async (service) =>
      (await (wanted.isEnded ? readEnded : readPast)(client, service, wanted)).map((line) => ({
        service,
        line,
      })),
    ),
  );
  const lines = lots.flat().toSorted((one, other) => (one.line.at < other.line.at ? -1 : 1));
  for (const { service, line } of lines) print(service, line);
}

/** Of the newest tasks that ended, until there are as many lines as are wanted. */
async function readEnded(
  client: Client,
  { id: serviceId }: Service,
  { tail, since, grep }: Wanted,
): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for (const { task } of await client.service.endedTasks({ serviceId })) {
    if (lines.length >= tail) break;
    const said = await client.service.endedOutput({
      serviceId,
      task,
      tail: Math.min(tail, mostLines),
      search: grep,
    });
    lines.push(...said.filter(({ at }) => since === undefined || Date.parse(at) >= Date.parse(since)));
  }
  return lines.toSorted((one, other) => (one.at < other.at ? -1 : 1)).slice(-tail);
}

function readPast(client: Client, service: Service, { tail, since, grep }: Wanted): Promise<LogLine[]> {
  const options = { tail: Math.min(tail, mostLines), since, search: grep };
  if (service.kind === 'application')
    return client.application.readLogs({ applicationId: service.id, ...options });
  if (service.kind === 'compose') return client.compose.readLogs({ composeId: service.id, ...options });
  return databaseCalls(client, service).readLogs(options);
}

async function followOne(
  client: Client,
  service: Service,
  wanted: Wanted,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  if (service.kind === 'compose') return poll(client, service, wanted, print, signal);
  const options = { tail: Math.min(wanted.tail, mostLines) };
  const events =
    service.kind === 'application'
      ? client.application.logs({ applicationId: service.id, ...options }, { signal })
      : databaseCalls(client, service).logs(options, { signal });
  for await (const { data } of events) if (isWanted(data, wanted)) print(service, data);
}

function isWanted(event: LogEvent, { since, grep }: Wanted): event is LogEvent & { type: 'line' } {
  if (event.type !== 'line') return false;
  const isLate = since === undefined || event.at === undefined || Date.parse(event.at) >= Date.parse(since);
  return isLate && (grep === undefined || event.text.includes(grep));
}

/** Compose services have no stream of their output; they are asked again and again. */
async function poll(
  client: Client,
  service: Service,
  wanted: Wanted,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  let { since } = wanted;
  let seen = new Set<string>();
  for (let tail = wanted.tail; ; tail = mostLines) {
    const lines = await readPast(client, service, { ...wanted, since, tail });
    const keyed = lines.map((line) => ({ line, key: `${line.at} ${line.stream} ${line.text}` }));
    for (const { line, key } of keyed) if (!seen.has(key)) print(service, line);
    since = lines.at(-1)?.at ?? since;
    // Lines of the very moment come again at the next look.
    if (keyed.length > 0) seen = new Set(keyed.map(({ key }) => key));
    await wait(pollMs, undefined, { signal });
  }
}

const colors: readonly Format[] = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red'];

function printerOf({ terminal, look, is, isJson }: Context, services: readonly Service[]): Print {
  const isObject = isJson && is('json');
  const width = Math.max(...services.map((service) => nameOf(service).length));
  const keepsColor = wantsColor(terminal.environment, terminal.isTerminal);
  return (service, { text, at }) => {
    if (isObject) {
      terminal.out(`${printableJson({ service: nameOf(service), at: at ?? null, text })}\n`);
      return;
    }
    const color = colors[services.indexOf(service) % colors.length] ?? 'cyan';
    const name = services.length > 1 ? look(color, `${printable(nameOf(service)).padEnd(width)} | `) : '';
    const time = is('times') && at !== undefined ? look('dim', `${at} `) : '';
    terminal.out(`${name}${time}${printableLine(text, keepsColor)}\n`);
  };
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `15m` before now, or a time as it is, in ISO 8601; throws UsageError for anything else. */
export function sinceOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : now - Number(count) * (seconds[unit] ?? 1) * 1000;
  if (Number.isNaN(at))
    throw new UsageError(`--since is "${text}"; give 30s, 15m, 2h, 3d, or a time as 2026-01-31T12:00:00Z.`);
  return new Date(at).toISOString();
}
