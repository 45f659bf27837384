/** Where docker compose and Berth understand a file differently, and whether the person is told. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CorpusFile } from './corpus.ts';
import { plain, type Meaning } from './meaning.ts';
import { ours } from './ours.ts';
import { theirs } from './theirs.ts';

export interface Verdict {
  /** `refused` by both; `told`: refused by Berth alone, or with a note about each difference. */
  outcome: 'equal' | 'refused' | 'told' | 'different';
  /** What differs and nobody is told. */
  silent: string[];
  /** Sentences about what differs. */
  words: string[];
}

/** Judges the file, whose files lie in the folder. */
export async function judge(program: string, folder: string, file: CorpusFile): Promise<Verdict> {
  const [meant, made] = await Promise.all([theirs(program, folder), ours(file)]);
  if (typeof made === 'string')
    return { outcome: typeof meant === 'string' ? 'refused' : 'told', silent: [], words: [made] };
  if (typeof meant === 'string')
    return { outcome: 'different', silent: [`docker compose refuses: ${meant}`], words: made.notes };
  const names = new Set([...Object.keys(meant), ...Object.keys(made.meanings)]);
  const differences = [...names].flatMap((name) => {
    const [one, other] = [meant[name], made.meanings[name]];
    if (!one || !other)
      return [{ name, key: 'profiles', text: `${name}: ${one ? 'missing' : 'not asked for'}` }];
    return differencesOf(one, other).map(({ key, text }) => ({ name, key, text: `${name}.${key}: ${text}` }));
  });
  const isTold = ({ name, key }: { name: string; key: string }): boolean =>
    made.notes.some((note) => mentions(note, name, key));
  const silent = differences.filter((difference) => !isTold(difference)).map(({ text }) => text);
  return {
    outcome: differences.length === 0 ? 'equal' : silent.length === 0 ? 'told' : 'different',
    silent,
    words: made.notes,
  };
}

/** Keys that a note may name in the place of this one. */
const otherNames: Readonly<Record<string, RegExp>> = {
  restart: /restart|is a server/,
  healthcheck: /healthcheck/,
  aliases: /container_name|aliases|links/,
  mem_limit: /mem_limit|memory/,
  mem_reservation: /mem_reservation|memory/,
  no_new_privileges: /no-new-privileges/,
  scale: /replicas|scale|container_name/,
  profiles: /profiles/,
  shared: /volumes|tmpfs/,
  dns_opt: /dns_opt|network_mode/,
  networks: /network/,
  cpus: /cpu/,
  hostname: /hostname|network_mode/,
  files: /configs|secrets|volumes/,
};

export const mentions = (note: string, name: string, key: string): boolean =>
  (note.includes(`services.${name}`) || note.includes(name)) &&
  (otherNames[key]?.test(note) ?? note.includes(key));

export function differencesOf(meant: Meaning, made: Meaning): { key: string; text: string }[] {
  const keys = new Set([...Object.keys(meant), ...Object.keys(made)]);
  return [...keys].flatMap((key) => {
    const [one, other] = [plain({ [key]: meant[key] }), plain({ [key]: made[key] })];
    if (rules[key]?.(meant, made) ?? JSON.stringify(one) === JSON.stringify(other)) return [];
    return [{ key, text: `${JSON.stringify(one)} instead of ${JSON.stringify(other)}` }];
  });
}

/** Keys whose values need not be the same text to mean the same. */
const rules: Readonly<Record<string, (meant: Meaning, made: Meaning) => boolean>> = {
  // One that ends is done; one with a port or a check is a server (docs/guide/compose.md).
  restart: (meant, made) =>
    meant['restart'] === 'always'
      ? made['restart'] === 'always'
      : meant['restart'] === 'no'
        ? made['restart'] !== 'always' || isServer(meant)
        : made['restart'] !== 'no' && (made['restart'] !== 'always' || isServer(meant)),
  isServer: () => true,
  // Docker switches forwarding on for every container, Berth for those that administer their network.
  sysctls: ({ sysctls: asked }, { sysctls: given }) =>
    isDeepStrictEqual(
      plain({ ...forwarding, ...plainMap(asked) }),
      plain({ ...forwarding, ...plainMap(given) }),
    ),
  logging: ({ logging: asked }, { logging: given }) =>
    isDeepStrictEqual(plain(withBounds(asked)), plain(given)),
  // What the file leaves open is Berth's to choose.
  healthcheck: ({ healthcheck: asked }, { healthcheck: given }) =>
    typeof asked !== 'object' || asked === null
      ? asked === given || (asked === undefined && given === undefined)
      : typeof given === 'object' &&
        given !== null &&
        Object.entries(asked).every(
          ([key, value]) =>
            value === undefined || JSON.stringify(Reflect.get(given, key)) === JSON.stringify(value),
        ),
};

const forwarding = { 'net.ipv4.ip_forward': '1' };
const plainMap = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const isServer = (meant: Meaning): boolean => meant['isServer'] === true;

function withBounds(logging: unknown): unknown {
  const shape = z.object({ driver: z.string(), options: z.record(z.string(), z.unknown()).nullish() });
  const asked = shape.safeParse(logging).data;
  if (!asked || !['json-file', 'local'].includes(asked.driver)) return logging;
  return { ...asked, options: { ...boundedLog, ...asked.options } };
}

/** Files of bounded size, where the file says nothing of theirs. */
const boundedLog = { 'max-size': '10m', 'max-file': '3' };
