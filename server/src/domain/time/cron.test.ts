import { expect, test } from 'vitest';
import { nextTime, parseCron, parseTimeZone } from './cron.ts';

test.each([
  '* * * * *',
  '0 3 * * *',
  '*/15 0-6,18-23 1,15 jan-mar MON-FRI',
  '5-59/10 * * * 7',
  '@daily',
  '@midnight',
  ' 0 0 * * 0 ',
])('%s is a schedule', (text) => {
  expect(parseCron(text, 'schedule')).toBe(text.trim());
});

test.each([
  ['', 'five fields'],
  ['* * * *', 'five fields'],
  ['* * * * * * *', 'five fields'],
  ['*/20 * * * * *', 'five fields'],
  ['30 0 3 * * *', 'five fields'],
  ['daily', 'five fields'],
  ['@nightly', 'is not a cron expression'],
  ['60 * * * *', 'minute: 60'],
  ['* 24 * * *', 'hour: 24'],
  ['* * 0 * *', 'day'],
  ['* * * 13 *', 'month'],
  ['* * * * 8', 'dayOfWeek: 8'],
  ['* * * * fri-mon', '5-1'],
  ['5-1 * * * *', '5-1'],
  ['1-2-3 * * * *', '1-2-3'],
  ['*/0 * * * *', 'stepping'],
  ['*/1/2 * * * *', '*/1/2'],
  ['1, * * * *', 'minute'],
  ['-1 * * * *', 'lower range'],
  ['1.5 * * * *', '1.5'],
  ['0 0 * * *; reboot', 'five fields'],
  ['0 0 * * *;', '*;'],
  ['$(x) * * * *', '$(x)'],
  ['0 0 30 2 *', 'never occurs'],
])('%s is none, and the fault is named', (text, fault) => {
  expect(() => parseCron(text, 'schedule')).toThrow(
    expect.objectContaining({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(fault),
      issues: [expect.objectContaining({ path: 'schedule' })],
    }),
  );
});

test('the next time is counted in the time zone, over the changes of its clock', () => {
  const next = (schedule: string, zone: string, after: string): string =>
    new Date(nextTime(schedule, zone, Date.parse(after)) ?? 0).toISOString();
  expect(next('0 3 * * *', 'UTC', '2026-01-01T02:59:59.999Z')).toBe('2026-01-01T03:00:00.000Z');
  expect(next('0 3 * * *', 'UTC', '2026-01-01T03:00:00.000Z')).toBe('2026-01-02T03:00:00.000Z');
  expect(next('0 3 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z')).toBe('2026-01-01T02:00:00.000Z');
  expect(next('0 3 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z')).toBe('2026-07-01T01:00:00.000Z');
  expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
  expect(next('0 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(next('0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(next('*/20 * * * *', 'Europe/Berlin', '2026-03-29T00:40:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(next('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z')).toBe('2026-10-03T15:45:00.000Z');
  expect(next('30 0 * * *', 'America/Havana', '2026-03-07T12:00:00Z')).toBe('2026-03-08T05:30:00.000Z');
  expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
});

test('a time zone is one of the list', () => {
  expect(parseTimeZone('Europe/Berlin', 'timeZone')).toBe('Europe/Berlin');
  for (const text of ['Mars/Base', '', 'Europe/Berlin; x'])
    expect(() => parseTimeZone(text, 'timeZone')).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: 'timeZone' })] }),
    );
});
