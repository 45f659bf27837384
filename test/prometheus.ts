/**
 * Reads the text format of Prometheus as strictly as its specification is written
 * (prometheus.io/docs/instrumenting/exposition_formats): any line that it does not allow is an error.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

export interface Read {
  type: string;
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y;

export function readPrometheus(text: string): Map<string, Read> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const families = new Map<string, Read>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (!metricName.test(name) || families.has(name)) throw new Error(`Told twice or badly named: ${line}`);
      families.set(name, { type: '', help: rest, samples: [] });
      current = name;
    } else if (keyword === 'TYPE') {
      const family = families.get(name);
      if (!family || name !== current || family.samples.length > 0 || !/^(counter|gauge)$/.test(rest))
        throw new Error(`Out of place: ${line}`);
      family.type = rest;
    } else readSample(line, families.get(current), current);
  }
  return families;
}

function readSample(line: string, family: Read | undefined, current: string): void {
  const [, name, labels = '', text = ''] = sample.exec(line) ?? [];
  if (!family || family.type === '' || name !== current) throw new Error(`Belongs to no family: ${line}`);
  const value = text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text);
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`Is no number: ${line}`);
  const read = readLabels(labels, line);
  if (family.samples.some(({ labels: other }) => isDeepStrictEqual(other, read)))
    throw new Error(`The same labels twice: ${line}`);
  family.samples.push({ labels: read, value });
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    label.lastIndex = at;
    const [whole, name = '', value = ''] = label.exec(text) ?? [];
    if (whole === undefined || name in labels) throw new Error(`Bad labels: ${line}`);
    labels[name] = value.replaceAll(/\\(\\|"|n)/g, (_all, one: string) => (one === 'n' ? '\n' : one));
    at += whole.length;
  }
  return labels;
}

const promtool = process.env['BERTH_PROMTOOL'] ?? '/usr/bin/promtool';

/** Why promtool is not asked here; undefined where it is there. */
export const withoutPromtool = existsSync(promtool)
  ? undefined
  : `${promtool} is not installed (Debian's prometheus has it; bin/test installs that).`;

/** What `promtool check metrics` says; empty when it is content. */
export function askPromtool(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(promtool, ['check', 'metrics'], { timeout: 60_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stdout}${stderr}`)) : resolve(`${stdout}${stderr}`),
    );
    child.stdin?.end(text);
  });
}
