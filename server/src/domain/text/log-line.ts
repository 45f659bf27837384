/** Lines of Berth's own log: JSON, with level and time first and the message last. Pure. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  level: LogLevel;
  time: string;
  fields: object;
  msg: string;
}

/** The line with its end; empty for what is below the least level that is written. */
export function logLine(least: LogLevel, { level, time, fields, msg }: LogEntry): string {
  if (logLevels.indexOf(level) < logLevels.indexOf(least)) return '';
  return `${JSON.stringify({ level, time, ...fields, msg })}\n`;
}
