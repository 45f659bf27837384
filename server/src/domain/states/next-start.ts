/** What set-up asks of the next start of Berth alone: a file in the data folder, removed once it is done. */

export const nextStartFile = 'next-start.json';

export interface NextStart {
  /** Takes over proxy, rules and builders of another installation. */
  adopt?: boolean;
  /** A former incarnation that has ended. */
  giveUp?: string;
  /** The database was restored, as this incarnation. */
  restored?: string;
}

/** Reads the text of the file; nothing is asked where there is none. */
export function parseNextStart(text: string | undefined): NextStart {
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  const word = (name: string): string | undefined => {
    const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return typeof found === 'string' ? found : undefined;
  };
  const [giveUp, restored] = [word('giveUp'), word('restored')];
  return {
    ...(typeof value === 'object' && value !== null && Reflect.get(value, 'adopt') === true
      ? { adopt: true }
      : {}),
    ...(giveUp === undefined ? {} : { giveUp }),
    ...(restored === undefined ? {} : { restored }),
  };
}
