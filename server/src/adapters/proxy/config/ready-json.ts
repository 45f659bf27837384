/**
 * JSON of which parts are ready: of thousands of routes each is written once, and not again with the whole.
 */

/** A value that is JSON already. */
export class ReadyJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** As JSON.stringify writes it, with what is ready put in. */
export function jsonOf(value: unknown): string {
  if (value instanceof ReadyJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`).join()}}`;
}

/** A value of which nothing is ready yet. */
export const ready = (value: object): ReadyJson => new ReadyJson(JSON.stringify(value));
