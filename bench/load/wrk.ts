/** Load by wrk, the lightest generator there is; undefined where it is not installed. */
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from '../../images/command.ts';
import type { Load, LoadResult } from './load.ts';

const program = '/usr/bin/wrk';

export function hasWrk(): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function wrk(load: Load): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const script = join(folder, 'load.lua');
    await writeFile(script, scriptOf(load));
    const text = await mustRun(
      [
        program,
        '-t1',
        `-c${load.connections}`,
        `-d${load.seconds}s`,
        '--timeout',
        '30s',
        '--latency',
        '-s',
        script,
        load.url,
      ],
      { limitMs: load.seconds * 1000 + 30_000 },
    );
    return parse(text);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function scriptOf({ method, headers, body }: Load): string {
  const lines = [
    `wrk.method = ${quoted(method)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`),
  ];
  if (body === undefined) return lines.join('\n');
  const [before = '', after = ''] = body.split('%n');
  return (
    `${lines.join('\n')}\nlocal n = 0\nfunction request()\n  n = n + 1\n  return wrk.format(nil, nil, ` +
    `nil, ${quoted(before)} .. n .. ${quoted(after)})\nend\n`
  );
}

const quoted = (text: string): string => JSON.stringify(text);

function parse(text: string): LoadResult {
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const milliseconds = (percent: number): number => {
    const [, value = 'NaN', unit = 'ms'] =
      new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s)$`, 'm').exec(text) ?? [];
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit === 'us' || unit === 's' ? unit : 'ms'];
  };
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
      .exec(text)
      ?.slice(1)
      .reduce((sum, count) => sum + Number(count), 0) ?? 0;
  return {
    requests: number(/(\d+) requests in/),
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: milliseconds(50),
    p99Ms: milliseconds(99),
    failures: number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors,
    generator: 'wrk',
  };
}
