/**
 * Who may import what, types included (ARCHITECTURE.md, Arrows). The order matters: a file belongs to the
 * first zone whose pattern it matches.
 */

export interface Zone {
  name: string;
  /** The zone's files, by path from the root. */
  files: RegExp;
  /** Zones it may import besides itself. */
  sees: readonly string[] | 'everything';
  /** Packages it may import; absent: any that `reservedPackages` does not forbid. */
  packages?: RegExp;
  /** What a file should do that would like to import this zone and may not. */
  cure: string;
}

const belowModules = [
  'domain',
  'shell',
  'procedure',
  'ports',
  'contract',
  'channel',
  'compose-file',
  'catalogue-formats',
];

export const zones: readonly Zone[] = [
  {
    name: 'tests',
    files: /^test\/|\.test\.ts$/,
    sees: 'everything',
    cure: 'Move what is shared out of the test into a file of its own.',
  },
  {
    name: 'main',
    files:
      /^server\/src\/(main|main-of-bundle|bundle|failed-start|start|config|reset-password)\.ts$|^server\/src\/(composition|commands)\//,
    sees: 'everything',
    cure: 'Take the value as an argument; main passes it in.',
  },
  {
    name: 'domain',
    files: /^server\/src\/domain\//,
    sees: [],
    packages: /^(croner|tldts|age-encryption|node:(util|crypto|buffer|url|net|path))$/,
    cure: '',
  },
  {
    name: 'ports',
    files: /^server\/src\/ports\//,
    sees: ['domain'],
    cure: 'Ports are seen by modules, adapters and what stands above them.',
  },
  // The identity of a child process is the ports' word: builder and git hand it over, the shell makes it.
  {
    name: 'shell',
    files: /^server\/src\/shell\//,
    sees: ['domain', 'ports'],
    cure: 'Build the command where the shell is seen: in an adapter or a module.',
  },
  {
    name: 'procedure',
    files: /^server\/src\/procedure\//,
    sees: ['domain'],
    cure: 'What a procedure is must not be known here; pass plain values.',
  },
  {
    name: 'db',
    files: /^server\/src\/db\//,
    sees: ['domain'],
    cure: "Put the query into the module's store.ts and call it through <noun>.ts.",
  },
  {
    // A kind of notification channel, or of DNS provider, is one file: its settings and what it is sent.
    name: 'channel',
    files: /^server\/src\/modules\/(notification\/channels|dns-provider\/kinds)\/[a-z0-9-]+\.ts$/,
    sees: ['domain', 'procedure'],
    packages: /^(zod|node:crypto)$/,
    cure: 'A kind says what is to be sent; what sends it is passed in.',
  },
  {
    // What a contract is made of stands beside it, when it is long: the record it answers with, the fields it
    // takes.
    name: 'contract',
    files:
      /^server\/src\/modules\/(contracts|[^/]+\/(contract|record)(-[a-z-]+)?|application\/settings|database\/kinds(\/[a-z]+)?)\.ts$/,
    sees: ['domain', 'procedure', 'channel'],
    packages: /^zod$/,
    cure: 'Contracts are for what stands above them.',
  },
  // Read by the command line from a folder, and by the server from a repository.
  {
    name: 'catalogue-formats',
    files: /^server\/src\/modules\/template\/formats\//,
    sees: ['domain', 'contract', 'compose-file'],
    cure: 'Give what was read to whoever needs it.',
  },
  {
    // What a compose file means, and what it asks of the machine: pure, and the command line imports by it.
    name: 'compose-file',
    files:
      /^server\/src\/modules\/(compose\/(compose-file|proxy-labels|translation\/[a-z/-]+)|host-reach\/(dangers|excess)|template\/(format|icon|references))\.ts$/,
    sees: ['domain', 'ports', 'contract'],
    packages: /^(yaml|node:(path|crypto|net))$/,
    cure: 'Reading a compose file is pure; pass what it needs as plain values.',
  },
  {
    name: 'store',
    files: /^server\/src\/modules\/[^/]+\/store\.ts$/,
    sees: [...belowModules, 'db', 'module'],
    cure: "Call the module's <noun>.ts; its store is its own.",
  },
  {
    name: 'module',
    files: /^server\/src\/modules\//,
    sees: [...belowModules, 'store'],
    cure: 'State what is needed as an interface here and let main.ts pass the module in.',
  },
  {
    name: 'deploy',
    files: /^server\/src\/deploy\//,
    sees: [...belowModules, 'module'],
    cure: 'Enqueue through a port, or take the function as an argument.',
  },
  {
    name: 'reconcile',
    files: /^server\/src\/reconcile\//,
    sees: [...belowModules, 'module', 'deploy'],
    cure: 'Take the function as an argument; main.ts passes it in.',
  },
  {
    name: 'jobs',
    files: /^server\/src\/jobs\//,
    sees: [...belowModules, 'db', 'module', 'deploy', 'reconcile'],
    cure: 'Enqueue through a port; main.ts passes the queue in.',
  },
  {
    name: 'transport',
    files: /^server\/src\/transport\//,
    sees: [...belowModules, 'module', 'deploy', 'reconcile'],
    cure: 'HTTP is known in transport only; pass plain values.',
  },
  // The few files that speak HTTP to an engine's socket; set-up has no other way to one either.
  {
    name: 'engine-client',
    files: /^server\/src\/adapters\/engine\/client\//,
    sees: ['domain', 'ports'],
    cure: 'Ask for the engine port (server/src/ports/engine/engine.ts).',
  },
  {
    name: 'adapters',
    files: /^server\/src\/adapters\//,
    sees: ['domain', 'shell', 'ports', 'engine-client'],
    cure: 'Ask for the port; only main.ts makes adapters and passes them in.',
  },
  {
    name: 'client',
    files: /^client\//,
    sees: ['contract', 'procedure', 'domain'],
    cure: 'The client is for programs outside the server.',
  },
  {
    name: 'cli',
    files: /^cli\//,
    sees: ['client', 'contract', 'procedure', 'domain', 'compose-file', 'catalogue-formats'],
    cure: 'The CLI is a program of its own; share through client/.',
  },
  {
    name: 'web',
    files: /^web\//,
    sees: ['client'],
    cure: 'The dashboard is a program of its own; share through client/.',
  },
  { name: 'images', files: /^images\//, sees: ['domain'], cure: 'Image recipes are for set-up and tests.' },
  {
    name: 'setup',
    files: /^setup\//,
    sees: ['client', 'domain', 'images', 'engine-client'],
    cure: 'Set-up is a program of its own; move what is shared to domain/.',
  },
  { name: 'bench', files: /^bench\//, sees: 'everything', cure: 'Nothing may depend on a bench.' },
  {
    name: 'tools',
    files: /^tools\/|^vitest\.config\.ts$/,
    sees: 'everything',
    cure: 'Nothing in the product may depend on a tool.',
  },
];

/** Arrows that the zones forbid and that are right nevertheless. Each tells why. */
export const exceptions: readonly { from: RegExp; to: RegExp; typesOnly: boolean; reason: string }[] = [
  {
    from: /^server\/src\/(modules|deploy|reconcile)\//,
    to: /^server\/src\/db\/(tables|stored-types)\.ts$/,
    typesOnly: true,
    reason:
      'A record as the product sees it is the type of its table; written again beside it, the two would ' +
      'drift.',
  },
  {
    from: /^server\/src\/adapters\/archive\//,
    to: /^server\/src\/procedure\/procedure\.ts$/,
    typesOnly: true,
    reason:
      'The file of an upload goes from the procedure that takes it to the adapter that unpacks it, ' +
      'unread between.',
  },
];

/** Files that a module shows besides its <noun>.ts and its contract. */
export const shownFiles: readonly { file: RegExp; reason: string }[] = [
  {
    file: /^server\/src\/modules\/template\/(format|icon|made-from|known-templates|formats\/[a-z-]+)\.ts$/,
    reason: 'The command line reads templates from folders and catalogues by the same rules.',
  },
  {
    file: /^server\/src\/modules\/host-reach\/(dangers|places)\.ts$/,
    reason:
      'What reaches the machine is one list, whether it is collected when a file is saved or when a ' +
      'service is released.',
  },
  {
    file: /^server\/src\/modules\/application\/pending-changes\.ts$/,
    reason: 'A release keeps the settings it was made with; deploy writes what the module compares.',
  },
  {
    file: /^server\/src\/modules\/application\/checks\.ts$/,
    reason:
      'Whether an application can be deployed is asked when a deployment is accepted and again when its ' +
      'source is fetched.',
  },
  {
    file: /^server\/src\/modules\/service\/(turns|own-service|output-events|mixed-output)\.ts$/,
    reason:
      'Whoever changes a running service waits for its turn and looks at it, whatever kind of service it is.',
  },
  {
    file: /^server\/src\/modules\/database\/(ask-server|version)\.ts$/,
    reason:
      'A deployment asks the server the same way as the change of a password does, and refuses the same ' +
      'versions.',
  },
  {
    file: /^server\/src\/modules\/compose\/(compose-(file|risks)|moving|translation\/[a-z/-]+)\.ts$/,
    reason:
      'What a compose file means is asked when it is saved, when it is deployed, and by the translation ' +
      'itself; all of it is pure.',
  },
  {
    file: /^server\/src\/modules\/backup\/(database-source|runs\/restore|volumes\/volume-service)\.ts$/,
    reason:
      'A restore loads into a temporary server, or changes the volumes of a service over, as a deployment ' +
      'does.',
  },
  {
    file: /^server\/src\/modules\/server\/monitoring\/points\.ts$/,
    reason: 'Samples look the same whether a server or a service was measured.',
  },
  {
    file: /^server\/src\/modules\/organization\/member\.ts$/,
    reason: 'Whoever makes a thing is granted it; every module that makes things does so.',
  },
];

/** Packages that stand for an effect: each has its one home. */
export const reservedPackages: readonly {
  name: RegExp;
  zones: readonly string[];
  files?: RegExp;
  cure: string;
}[] = [
  {
    name: /^(kysely|pg|node:sqlite)$/,
    zones: ['db', 'store', 'jobs'],
    cure: 'SQL is written in a store.ts, in jobs/ and in db/ only.',
  },
  { name: /^(fastify|@fastify\/.*)$/, zones: ['transport'], cure: 'HTTP is known in transport/ only.' },
  // ssh2 also reads and makes keys, which is a pure computation.
  {
    name: /^ssh2$/,
    zones: ['adapters'],
    files: /^server\/src\/modules\/ssh-key\/key-pair\.ts$/,
    cure: 'Ask for a port; SSH is spoken in adapters/ only.',
  },
  // A dump of the state before it is migrated is made where the state is opened.
  // The command line starts a person's editor and a database's shell on that person's own machine.
  {
    name: /^node:child_process$/,
    zones: ['shell', 'images', 'setup'],
    files: /^(cli\/terminal|server\/src\/db\/storage)\.ts$/,
    cure: 'Make a Command and run it with server/src/shell/run.ts.',
  },
  { name: /^nodemailer$/, zones: ['adapters'], cure: 'Ask for the port (server/src/ports/mailer.ts).' },
  { name: /^pino$/, zones: [], cure: 'Take the log as an argument; main.ts makes it.' },
];
