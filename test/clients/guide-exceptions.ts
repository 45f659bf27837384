/**
 * Commands of the guides that cannot do what they say beside a Berth without an engine, a second machine or
 * somebody at a terminal; each names the test that sees it work. All others must succeed.
 */

export interface Exception {
  guide: string;
  /** Of the command, from its beginning. */
  command: RegExp;
  /** What Berth refuses it with here; absent: it is not run. */
  refused?: RegExp;
  /** The test that sees it work. */
  seenBy: string;
}

const engine = /engine.*cannot be reached/;
const unread = /SSH key of the server .* cannot be read/;

const commandLine = 'test/e2e/command-line.e2e.test.ts';
const inside = 'test/e2e/command/inside.ts';
const imports = 'cli/import/import.test.ts';
const clusters = 'test/e2e/servers/cluster.e2e.test.ts';

export const exceptions: readonly Exception[] = [
  // They ask for a password.
  { guide: 'accounts.md', command: /^(sign-up|login) /, seenBy: 'cli/cli.test.ts' },
  { guide: 'command-line.md', command: /^(login|ci setup) /, seenBy: 'cli/cli.test.ts' },
  // They follow a deployment to its end.
  { guide: 'command-line.md', command: /^deploy$/, seenBy: commandLine },
  { guide: 'terminal.md', command: /^exec /, refused: engine, seenBy: inside },
  // An engine has the volumes.
  {
    guide: 'backups.md',
    command: /^cleanup (volumes|use-volume |remove-volume )/,
    seenBy: 'test/e2e/command/session.e2e.test.ts',
  },
  // A key pair of one's own.
  {
    guide: 'backups.md',
    command: /^destination\.update .*--recipients /,
    seenBy: 'test/integration/encrypted-backup.test.ts',
  },
  // A database that runs is copied.
  {
    guide: 'previews.md',
    command: /^application\.update .*--previewDatabases /,
    seenBy: 'test/e2e/previews/databases.e2e.test.ts',
  },
  // A DNS provider has the zone.
  { guide: 'domains.md', command: /^domains records /, seenBy: 'test/dns/dns-records.test.ts' },
  // Servers and accounts of others.
  {
    guide: 'backups.md',
    command: /^destination\.create --name (Box|Azure|Google|Backblaze) /,
    seenBy: 'server/src/adapters/object-store/sftp.test.ts',
  },
  // A database that runs.
  {
    guide: 'databases.md',
    command: /^(db query|db statements|database\.(tables|rows|query|keys|value)) /,
    seenBy: 'test/e2e/databases/browse.ts',
  },
  // A catalogue of another platform; what is made of a template is deployed.
  {
    guide: 'template-catalogues.md',
    command: /^(import templates|template create|template catalogue) /,
    seenBy: 'cli/import/templates/catalogue.test.ts',
  },
  {
    guide: 'templates.md',
    command: /^template create /,
    refused: engine,
    seenBy: 'cli/recording.test.ts',
  },
  // They need a terminal, last until somebody ends them, or start a program of the machine.
  { guide: 'terminal.md', command: /^(shell|forward|db connect) /, seenBy: inside },
  {
    guide: 'backups.md',
    command: /^destination\.testConnection /,
    refused: /./,
    seenBy: 'test/integration/object-store.test.ts',
  },
  {
    guide: 'backups.md',
    command: /^(backup\.(manual|listFiles|restore)|installationBackup\.run)/,
    refused: /./,
    seenBy: 'test/e2e/backup.e2e.test.ts',
  },
  // A restore that ran; without an engine none has.
  {
    guide: 'backups.md',
    command: /^backup\.(undoRestore|useFormerVolume) /,
    refused: /./,
    seenBy: 'test/e2e/backup.e2e.test.ts',
  },
  {
    guide: 'backups.md',
    command: /^db (recovery|restore-at|branch) /,
    seenBy: 'test/e2e/backups/recovery.e2e.test.ts',
  },
  { guide: 'backups.md', command: /^db undo /, seenBy: 'test/e2e/command/session.e2e.test.ts' },
  // A run that is under way; without an engine it has failed by then.
  {
    guide: 'backups.md',
    command: /^backup\.cancel /,
    refused: /has ended already/,
    seenBy: 'server/src/modules/backup/runs/cancel.store.test.ts',
  },
  {
    guide: 'backups.md',
    command: /^backup\.runLogs /,
    refused: /./,
    seenBy: 'test/e2e/backups/volumes.e2e.test.ts',
  },
  // They follow a deployment to its end.
  {
    guide: 'previews.md',
    command: /^preview (create|remove|waiting|approve) /,
    seenBy: 'cli/recording.test.ts',
  },
  // Files of the other platforms.
  { guide: 'coming-from.md', command: /^import /, seenBy: imports },
  // A database that runs.
  { guide: 'coming-from.md', command: /^db (create|copy) /, seenBy: 'test/e2e/command/copied-data.ts' },
  // A project whose services are in the file.
  { guide: 'berth-file.md', command: /^(plan|apply)$/, seenBy: 'test/clients/berth-file.interface.test.ts' },
  // Machines beside Berth's own.
  {
    guide: 'build-servers.md',
    command: /^application\.update .* --buildServerId /,
    refused: /is not set up yet/,
    seenBy: 'test/e2e/servers/build-server.e2e.test.ts',
  },
  { guide: 'clusters.md', command: /^cluster /, seenBy: clusters },
  {
    guide: 'servers.md',
    command: /^(server add |deploy --server )/,
    seenBy: 'test/e2e/servers/server-add.e2e.test.ts',
  },
  { guide: 'moving-a-service.md', command: /^move /, seenBy: 'cli/recording.test.ts' },
  {
    guide: 'moving-a-service.md',
    command: /^application\.moveToServer /,
    refused: /./,
    seenBy: 'test/e2e/servers/build-server.e2e.test.ts',
  },
  {
    guide: 'moving-a-service.md',
    command: /^api postgres\.removeFormerVolume /,
    seenBy: 'test/e2e/servers/moving.e2e.test.ts',
  },
  {
    guide: 'when-a-server-is-gone.md',
    command: /^server\.validate /,
    refused: unread,
    seenBy: 'test/e2e/servers.e2e.test.ts',
  },
  {
    guide: 'monitoring.md',
    command: /^server\.(setupMonitoring|metrics) /,
    refused: /./,
    seenBy: 'test/e2e/servers/monitored.ts',
  },
  {
    guide: 'databases.md',
    command: /^postgres\.(upgrade|removeFormerVolume) /,
    refused: /./,
    seenBy: 'test/e2e/databases/upgrades.ts',
  },
];
