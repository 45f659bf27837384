/**
 * What is one machine's stands in the connections to machines alone (`server/src/adapters/host/local/` and
 * `ssh/`): everywhere else it is a host's, of which Berth's own machine is one.
 */
import type { Line } from './width.ts';

const home = /^server\/src\/adapters\/host\/(local|ssh)\//;
const comment = /^\s*(\*|\/\*|\/\/)/;

interface Rule {
  what: RegExp;
  /** What the line does. */
  doing: string;
  cure: string;
  /** Files that may; each tells why. */
  allowed: readonly { file: RegExp; reason: string }[];
}

const rules: readonly Rule[] = [
  {
    what: /['"`]\/(proc|sys)\b/,
    doing: "looks at this machine's kernel",
    cure:
      'Ask host.facts(), or let the connection of the host do it ' +
      '(server/src/ports/host/host-connection.ts).',
    allowed: [
      { file: /^server\/src\/shell\/proc\.ts$/, reason: "Berth's own children, which are always here." },
      { file: /\/names\/server-path\.ts$/, reason: 'Paths in a container, which are never opened.' },
    ],
  },
  {
    what: /from 'node:os'/,
    doing: 'asks what this machine is',
    cure: 'Ask host.facts() (server/src/ports/host/host.ts).',
    allowed: [],
  },
  {
    what: /docker\.sock/,
    doing: "names an engine's socket",
    cure: 'Take the engine from its host; a connection gives the path of its socket.',
    allowed: [
      { file: /^server\/src\/config\.ts$/, reason: 'The default of the setting.' },
      {
        file: /\/build-engine\/builder-folders\.ts$/,
        reason: "A builder's own, which is no server's engine.",
      },
    ],
  },
  {
    what: /existsSync\([^)]*probePath/,
    doing: 'looks for the probe on this machine',
    cure: 'Ask (await host.facts()).hasProbe.',
    allowed: [],
  },
  {
    what: /\bconfig\.(engineSocket|probePath)\b/,
    doing: "takes what is Berth's own machine's for every host's",
    cure: 'Take it from the host: Hosts.of(serverKeyOf(service)).',
    allowed: [],
  },
  {
    what: /\['local'\]|serverKey\w*\s*(:|=|===|\?\?)\s*'local'|serverId\)?\s*(\?\?|\|\|)\s*'local'/,
    doing: "writes the key of Berth's own machine out",
    cure:
      'Use serverKeyOf(record), or localServer where that machine itself is meant ' +
      '(server/src/domain/names/server-key.ts).',
    allowed: [],
  },
  {
    what: /from '[./]*adapters\/(engine|builder)\//,
    doing: 'reaches for an engine or a builder',
    cure: 'Take them from a host; only adapters/host/machine.ts makes them.',
    allowed: [],
  },
];

/** One sentence per line of the server that knows of one machine. */
export function oneMachineFaults(lines: readonly Line[]): string[] {
  const server = lines.filter(
    ({ file }) => /^server\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts') && !home.test(file),
  );
  if (server.length === 0)
    return ['The check of machines saw no line of the server, so it proves nothing. Mend its list of files.'];
  return server
    .filter(({ text }) => !comment.test(text))
    .flatMap(({ file, number, text }) =>
      rules
        .filter(({ what, allowed }) => what.test(text) && !allowed.some((one) => one.file.test(file)))
        .map(({ doing, cure }) => `${file}:${number} ${doing}. ${cure}`),
    );
}
