import { describe, expect, it } from 'vitest';
import { lokiAddress, syslogAddress } from './address.ts';
import { createDrainBuffer, mostLines } from './buffer.ts';
import { lokiBody, syslogDatagrams, syslogMessage, syslogStream, type DrainedLine } from './forms.ts';

const line: DrainedLine = {
  at: '2026-11-24T08:00:00.123456789Z',
  stream: 'stderr',
  task: 'task1',
  node: 'node1',
  text: 'out of "paper"',
  organization: 'First',
  project: 'A "shop" [one] \\',
  environment: 'production',
  service: 'web',
};

describe('syslog', () => {
  it('is RFC 5424, with what the line is of as structured data', () => {
    expect(syslogMessage(line, 2048).toString()).toBe(
      '<131>1 2026-11-24T08:00:00.123456Z node1 web task1 - [berth@32473 organization="First" ' +
        'project="A \\"shop\\" [one\\] \\\\" environment="production" service="web" stream="stderr"] ' +
        'out of "paper"',
    );
  });

  it('has no names that the form does not allow, and one line for each', () => {
    const odd = {
      ...line,
      stream: 'stdout' as const,
      node: '',
      service: 'größer als 1',
      task: 'x'.repeat(200),
    };
    const text = syslogMessage({ ...odd, text: 'one\r\ntwo' }, 4096).toString();
    expect(text).toMatch(/^<134>1 \S+ - gr__er_als_1 x{128} - \[/);
    expect(text).toMatch(/ one two$/);
  });

  it('is counted in bytes by TCP, and cut between characters by UDP', () => {
    const long = { ...line, text: '€'.repeat(2000) };
    const counted = /^(\d+) /.exec(syslogStream([long]).toString());
    expect(Number(counted?.[1])).toBe(syslogMessage(long, 65_536).length);
    const [datagram = Buffer.alloc(0)] = syslogDatagrams([long]);
    expect(datagram.length).toBeLessThanOrEqual(2048);
    expect(datagram.length).toBeGreaterThan(2044);
    expect(datagram.toString()).toMatch(/€ … \[cut, 6\d{3} bytes\]$/);
    const longer = { ...line, text: 'x'.repeat(100_000) };
    expect(syslogMessage(longer, 65_536).length).toBe(65_536);
    expect(syslogMessage(longer, 65_536).toString()).toMatch(/x … \[cut, 100\d{3} bytes\]$/);
  });
});

it('Loki gets lines by their labels, with nanoseconds', () => {
  const body = JSON.parse(
    lokiBody([line, { ...line, at: '2026-11-24T08:00:01Z' }, { ...line, task: 'task2' }]),
  );
  expect(body.streams).toHaveLength(2);
  expect(body.streams[0]).toMatchObject({
    stream: { source: 'berth', organization: 'First', service: 'web', task: 'task1', stream: 'stderr' },
    values: [
      ['1795507200123456789', 'out of "paper"'],
      ['1795507201000000000', 'out of "paper"'],
    ],
  });
});

it('addresses are a host with a port, or http without a name and password in it', () => {
  expect(syslogAddress('logs.example.com:601')).toEqual({ host: 'logs.example.com', port: 601 });
  expect(syslogAddress('[2001:db8::1]:514')).toEqual({ host: '2001:db8::1', port: 514 });
  for (const address of [
    'logs',
    'logs:',
    'logs:0',
    'logs:65536',
    'http://logs:1',
    '2001:db8::1:514',
    'a b:1',
  ])
    expect(() => syslogAddress(address)).toThrow('must be host:port');
  for (const address of ['loki', 'ftp://loki', 'https://a:b@loki/push'])
    expect(() => lokiAddress(address)).toThrow('must begin with https://');
});

it('what waits is bounded, and what does not fit is counted', () => {
  const buffer = createDrainBuffer();
  for (let count = 0; count < mostLines + 7; count += 1) buffer.offer({ ...line, text: String(count) });
  expect([buffer.dropped(), buffer.dropped()]).toEqual([7, 0]);
  const first = buffer.batch();
  expect(first.map(({ text }) => Number(text))).toEqual([...first.keys()]);
  expect(buffer.batch()).toEqual(first);
  buffer.taken(first.length);
  expect(buffer.batch()[0]?.text).toBe(String(first.length));
  buffer.clear();
  for (let count = 0; count < 10; count += 1) buffer.offer({ ...line, text: 'x'.repeat(1024 * 1024) });
  expect(buffer.dropped()).toBeGreaterThan(5);
  expect(buffer.batch()).toHaveLength(1);
});
