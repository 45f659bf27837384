import { expect, test } from 'vitest';
import { parseCron } from './cron.ts';

test.each(['* * * * *', '0 3 * * *', '*/15 0-6,18-23 1,15 jan-mar MON-FRI', '5/10 * * * 7', '30 0 3 * * *', '@daily', ' 0 0 * * 0 '])('%s is a schedule', (text) => {
  expect(parseCron(text, 'schedule')).toBe(text.trim());
});

test.each([
  ['', 'five fields'],
  ['* * * *', 'five fields'],
  ['* * * * * * *', 'five fields'],
  ['daily', 'five fields'],
  ['60 * * * *', 'minute "60"'],
  ['* 24 * * *', 'hour "24"'],
  ['* * 0 * *', 'day of the month "0"'],
  ['* * * 13 *', 'month "13"'],
  ['* * * * 8', 'day of the week "8"'],
  ['* * * * fri-mon', 'day of the week'],
  ['5-1 * * * *', 'minute'],
  ['1-2-3 * * * *', 'minute'],
  ['*/0 * * * *', 'minute'],
  ['*/1/2 * * * *', 'minute'],
  ['1, * * * *', 'minute'],
  ['-1 * * * *', 'minute'],
  ['1.5 * * * *', 'minute'],
  ['0 0 * * *; reboot', 'month "*;"'],
  ['$(x) * * * *', 'minute'],
])('%s is none, and the fault is named', (text, fault) => {
  expect(() => parseCron(text, 'schedule')).toThrow(expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(fault), issues: [expect.objectContaining({ path: 'schedule' })] }));
});
