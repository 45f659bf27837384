/** Colours and times as people read them. */

/** Numbers of the looks (ECMA-48, SGR). */
const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;

export type Format = keyof typeof codes;

export type Look = (format: Format, text: string) => string;

/** https://no-color.org: set and not empty means none. */
export function wantsColor(environment: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

export function lookOf(hasColor: boolean): Look {
  return (format, text) => (hasColor ? `\u001B[${codes[format]}m${text}\u001B[0m` : text);
}

const statusColors: Readonly<Record<string, Format>> = {
  done: 'green',
  up: 'green',
  active: 'green',
  running: 'cyan',
  starting: 'cyan',
  building: 'cyan',
  queued: 'cyan',
  error: 'red',
  down: 'red',
  failed: 'red',
  degraded: 'yellow',
  cancelled: 'yellow',
  inactive: 'yellow',
};

/** How something ended as people say it, and the dashboard: the interface calls what failed `error`. */
export const statusWord = (status: string): string => (status === 'error' ? 'failed' : status);

export function statusLook(look: Look): (text: string) => string {
  return (text) => {
    const color = statusColors[text];
    return color === undefined ? text : look(color, text);
  };
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** `3 min ago`, from an ISO time; `–` where there is none. */
export function ago(iso: string | null | undefined, now: number): string {
  if (!iso) return '–';
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  const unit = units.find((one) => seconds >= one.seconds);
  return unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name} ago` : 'now';
}

/** `started since <ISO time>`, as a service's task has it, becomes `started, 3 min ago`. */
export const sinceAsAge = (status: string, now: number): string =>
  status.replace(/ since (\d{4}-\d\d-\d\dT\S+Z)$/, (_, iso: string) => `, ${ago(iso, now)}`);

/** `12.3 s`, `4 min 5 s`, from milliseconds. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `1.4 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
