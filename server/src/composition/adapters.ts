/** The adapters of Berth itself; those of a machine that services run on are its host's (hosts.ts). */
import type { ComposeFolders } from '../deploy/disk-quotas.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLego } from '../adapters/acme/lego.ts';
import { createAccessLog } from '../adapters/access-log/access-log.ts';
import { createEndedOutputs } from '../adapters/ended-output/files.ts';
import { createFileLogs, type FileLogLimits } from '../adapters/deployment-log/file-log.ts';
import { createNameResolver } from '../adapters/dns/name-resolver.ts';
import { createUploads, type Uploads } from '../adapters/archive/uploads.ts';
import { createObjectStores } from '../adapters/object-store/stores.ts';
import { createGitApis } from '../adapters/git-api/git-apis.ts';
import { createMailer } from '../adapters/mail/smtp.ts';
import { createGit } from '../adapters/git/cli.ts';
import { createOutgoing, type OutgoingOptions } from '../adapters/outgoing/outgoing.ts';
import { sshKeyPairs } from '../adapters/ssh/key-pairs.ts';
import type { Config } from '../config.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { WorkFiles } from '../ports/host/work-files.ts';

export type Adapters = ReturnType<typeof createAdapters>;

/** Folders of Berth's own, below its data. */
export interface OwnFolders {
  work: string;
  composes: string;
  builders: string;
  backup: string;
  proxy: string;
  git: string;
}

export interface AdapterParts {
  clock: Clock;
  folders: OwnFolders;
  files: WorkFiles;
  settings: Pick<SettingsService, 'get'>;
  /** Asked with each connection to an address that a user named. */
  policyOf: OutgoingOptions['policyOf'];
}

export function createAdapters(config: Config, parts: AdapterParts) {
  const { clock, folders, files, settings, policyOf } = parts;
  const folder = (name: string): string => folderIn(config, name);
  const outgoing = createOutgoing({ policyOf });
  return {
    folders,
    accessLog: createAccessLog({ folder: folder('logs/access') }),
    objectStores: createObjectStores({
      rclonePath: config.rclonePath,
      scratch: folder('object-store'),
      outgoing,
    }),
    git: createGit({
      gitPath: config.gitPath,
      scratchRoot: folders.git,
      knownHostsPath: join(config.data, 'known_hosts'),
      outgoing,
    }),
    gitApis: createGitApis(clock, outgoing),
    keyPairs: sshKeyPairs,
    names: createNameResolver(),
    lego: createLego({ legoPath: config.legoPath, scratch: folder('lego'), outgoing }),
    outgoing,
    mailer: createMailer(outgoing),
    files,
    endedOutputs: createEndedOutputs(
      folder('logs/ended'),
      async () => (await settings.get()).endedOutputLimit,
    ),
    logs: createFileLogs(folder('logs'), clock, () => logLimits(settings)),
    uploads: uploadsBelow(folder('uploads'), files, settings),
  };
}

export function makeFolders(config: Pick<Config, 'data'>): OwnFolders {
  return {
    work: folderIn(config, 'work'),
    composes: folderIn(config, 'composes'),
    builders: folderIn(config, 'builders'),
    backup: folderIn(config, 'backup-work'),
    proxy: folderIn(config, 'proxy'),
    git: folderIn(config, 'git'),
  };
}

function folderIn({ data }: Pick<Config, 'data'>, name: string): string {
  const path = join(data, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Where compose services on this machine have folders of their own. */
export const composeFoldersOf = ({
  folders,
  files,
}: Pick<Adapters, 'folders' | 'files'>): ComposeFolders => ({
  folder: folders.composes,
  files,
});

async function logLimits(settings: Pick<SettingsService, 'get'>): Promise<FileLogLimits> {
  const { logLimit, logAnswerLimit } = await settings.get();
  return { logBytes: logLimit, answerBytes: logAnswerLimit };
}

function uploadsBelow(root: string, files: WorkFiles, settings: Pick<SettingsService, 'get'>): Uploads {
  return createUploads({
    root,
    freeBytes: files.freeBytes,
    async rules() {
      const { uploadUnpackedLimit, uploadEntriesLimit, minFreeDisk } = await settings.get();
      return { unpackedBytes: uploadUnpackedLimit, entries: uploadEntriesLimit, keptFree: minFreeDisk };
    },
  });
}
