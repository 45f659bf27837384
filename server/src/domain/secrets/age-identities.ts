/** Private keys of age as `age-keygen` writes them: each below a line with its public key. */

/** The public keys of the private ones that are stored. */
export const heldKeys = (identities: string | null): string[] => linesAfter(identities, '# public key: ');

/** The private keys themselves. */
export const identitiesOf = (identities: string | null): string[] =>
  linesAfter(identities, 'AGE-SECRET-KEY-').map((rest) => `AGE-SECRET-KEY-${rest}`);

const linesAfter = (text: string | null, beginning: string): string[] =>
  (text ?? '')
    .split('\n')
    .flatMap((line) => (line.startsWith(beginning) ? [line.slice(beginning.length)] : []));
