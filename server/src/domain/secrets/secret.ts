import { inspect } from 'node:util';

const dots = '••••';

/** A value that prints as dots everywhere; only `reveal()` gives it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; call it only where it leaves for the program that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return dots;
  }

  toJSON(): string {
    return dots;
  }

  [inspect.custom](): string {
    return dots;
  }
}
