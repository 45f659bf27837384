/** Cron expressions as people say them; one that has no short sentence stays as it is. */
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const nicknames: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

export function cronWords(expression: string): string {
  const parts = (nicknames[expression.trim()] ?? expression).trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5 || month !== '*') return expression;
  const isEveryDay = day === '*' && weekday === '*';
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (isEveryDay && hour === '*') {
    if (minute === '*') return 'Every minute';
    if (step) return `Every ${step} minutes`;
    return isNumber(minute) ? `Every hour at minute ${minute}` : expression;
  }
  if (!isNumber(minute)) return expression;
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (isEveryDay && hours) return `Every ${hours} hours at minute ${minute}`;
  if (!isNumber(hour)) return expression;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEveryDay) return `Every day at ${time}`;
  if (day === '*' && weekday === '1-5') return `Monday to Friday at ${time}`;
  if (day === '*' && isNumber(weekday)) return `Every ${days[Number(weekday)] ?? weekday} at ${time}`;
  return weekday === '*' && isNumber(day) ? `On day ${day} of each month at ${time}` : expression;
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);
