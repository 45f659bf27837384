import { existsSync } from 'node:fs';
import { installPackages } from '../machine/apt.ts';
import type { SetupContext, Step } from '../context.ts';

interface Tool {
  program: string;
  package: string;
  why: string;
  applies?: (context: SetupContext) => boolean;
}

const tools: readonly Tool[] = [
  { program: '/usr/bin/git', package: 'git', why: 'git repositories' },
  { program: '/usr/bin/ssh', package: 'openssh-client', why: 'git repositories over SSH' },
  {
    program: '/etc/ssl/certs/ca-certificates.crt',
    package: 'ca-certificates',
    why: 'git repositories over https',
  },
  { program: '/usr/bin/rclone', package: 'rclone', why: 'backups to S3 services' },
  { program: '/usr/bin/xz', package: 'xz-utils', why: 'restores of dumps packed by xz' },
  { program: '/usr/bin/bzip2', package: 'bzip2', why: 'restores of dumps packed by bzip2' },
  {
    program: '/usr/bin/pg_dump',
    package: 'postgresql-client',
    why: 'backups of the PostgreSQL that DATABASE_URL names',
    applies: ({ settings }) => settings.databaseUrl !== undefined,
  },
];

/** Programs Berth calls that a bare Debian may lack. */
export const toolsStep: Step = {
  title: 'Programs Berth calls',
  async run(context) {
    const needed = tools.filter((tool) => tool.applies?.(context) ?? true);
    const missing = needed.filter((tool) => !existsSync(tool.program));
    for (const tool of missing) context.say(`${tool.package} is missing: ${tool.why}`);
    await installPackages(
      missing.map((tool) => tool.package),
      context,
    );
    return missing.length === 0 ? 'all there' : `installed ${missing.map((tool) => tool.package).join(', ')}`;
  },
};
