/** A terminal as far as programs of the suite notice: its size, and that ctrl-C ends who runs in it. */
import { Transform } from 'node:stream';
import type { TerminalSize } from '../../../server/src/ports/engine/engine-program.ts';

export interface Terminal {
  size(): TerminalSize;
  resize(size: TerminalSize): void;
  onResize(told: () => void): void;
  /** Between who types and the program, which reads no ctrl-C: `interrupt` is called for each. */
  lineOf(interrupt: () => void): Transform;
}

const ctrlC = 0x03;

export function createTerminal(): Terminal {
  let size: TerminalSize = { columns: 80, rows: 24 };
  const listeners = new Set<() => void>();
  return {
    size: () => size,
    resize(wanted) {
      const isNew = wanted.columns !== size.columns || wanted.rows !== size.rows;
      size = wanted;
      if (isNew) for (const told of listeners) told();
    },
    onResize: (told) => void listeners.add(told),
    lineOf: (interrupt) =>
      new Transform({
        transform(bytes: Buffer, _encoding, done) {
          if (bytes.includes(ctrlC)) interrupt();
          done(
            null,
            bytes.filter((byte) => byte !== ctrlC),
          );
        },
      }),
  };
}
