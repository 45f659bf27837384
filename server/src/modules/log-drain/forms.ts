/** Lines of services as syslog and Loki take them. Pure. */

export interface DrainedLine {
  /** ISO 8601, with up to nine digits of a second. */
  at: string;
  stream: 'stdout' | 'stderr';
  task: string;
  node: string;
  text: string;
  organization: string;
  project: string;
  environment: string;
  service: string;
}

/** local0; informational, or error for standard error (RFC 5424, 6.2.1). */
const facility = 16;
const severity = { stdout: 6, stderr: 3 } as const;
/** RFC 5424, 6.2.4 and 6.2.6. */
const longest = { app: 48, process: 128, host: 255 } as const;
/** What every receiver by UDP takes (RFC 5426, 3.2). */
const longestDatagram = 2048;
const longestMessage = 64 * 1024;
/** Private enterprise number of documents and examples (RFC 5612), since Berth has none of its own. */
const structure = 'berth@32473';

/** A message of RFC 5424. */
export function syslogMessage(line: DrainedLine, longestBytes: number): Buffer {
  const { at, stream, task, node, text, organization, project, environment, service } = line;
  const priority = facility * 8 + severity[stream];
  const parameters = Object.entries({ organization, project, environment, service, stream })
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\\]]/g, (one) => `\\${one}`)}"`)
    .join(' ');
  const head =
    `<${priority}>1 ${microseconds(at)} ${word(node, longest.host)} ${word(service, longest.app)} ` +
    `${word(task, longest.process)} - [${structure} ${parameters}] `;
  return cut(Buffer.from(head + text.replaceAll(/[\r\n]+/g, ' ')), longestBytes);
}

/** Each counted (RFC 6587, 3.4.1). */
export function syslogStream(lines: readonly DrainedLine[]): Buffer {
  return Buffer.concat(
    lines.flatMap((line) => {
      const message = syslogMessage(line, longestMessage);
      return [Buffer.from(`${message.length} `), message];
    }),
  );
}

export const syslogDatagrams = (lines: readonly DrainedLine[]): Buffer[] =>
  lines.map((line) => syslogMessage(line, longestDatagram));

/** The body of Loki's POST /loki/api/v1/push: lines by their labels, times in nanoseconds. */
export function lokiBody(lines: readonly DrainedLine[]): string {
  const streams = new Map<string, { stream: Record<string, string>; values: [string, string][] }>();
  for (const { at, text, ...labels } of lines) {
    const key = JSON.stringify(labels);
    const present = streams.get(key) ?? { stream: { source: 'berth', ...labels }, values: [] };
    streams.set(key, present);
    present.values.push([nanoseconds(at), text]);
  }
  return JSON.stringify({ streams: [...streams.values()] });
}

/** No more than six digits of a second are allowed (RFC 5424, 6.2.3). */
const microseconds = (at: string): string => at.replace(/(\.\d{6})\d+/, '$1');

function nanoseconds(at: string): string {
  const seconds = Math.floor(Date.parse(at) / 1000);
  const digits = /\.(\d{1,9})/.exec(at)?.[1] ?? '';
  return `${seconds}${digits.padEnd(9, '0')}`;
}

/** Printable ASCII without spaces; `-` for nothing. */
function word(text: string, length: number): string {
  const kept = text.replaceAll(/[^!-~]/g, '_').slice(0, length);
  return kept === '' ? '-' : kept;
}

/** Never within a character; what was cut says so, with the bytes that it had. */
function cut(bytes: Buffer, length: number): Buffer {
  if (bytes.length <= length) return bytes;
  const mark = Buffer.from(` … [cut, ${bytes.length} bytes]`);
  let end = length - mark.length;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([bytes.subarray(0, end), mark]);
}
