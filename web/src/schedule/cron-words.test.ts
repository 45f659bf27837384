import { expect, it } from 'vitest';
import { cronWords } from './cron-words.ts';

it.each([
  ['* * * * *', 'Every minute'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['5 * * * *', 'Every hour at minute 5'],
  ['0 */6 * * *', 'Every 6 hours at minute 0'],
  ['0 4 * * *', 'Every day at 04:00'],
  ['@daily', 'Every day at 00:00'],
  ['30 22 * * 1-5', 'Monday to Friday at 22:30'],
  ['0 3 * * 7', 'Every Sunday at 03:00'],
  ['0 3 1 * *', 'On day 1 of each month at 03:00'],
])('%s is said as %s', (expression, words) => {
  expect(cronWords(expression)).toBe(words);
});

it.each(['0 4 * 6 *', '0,30 4 * * *', '0 4 1 * 1', '@reboot', 'nonsense'])('%s stays as it is', (text) => {
  expect(cronWords(text)).toBe(text);
});
