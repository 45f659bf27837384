/** Where things lie below the data folder. One place, so that up, down and the tests agree. */
import { join } from 'node:path';
import { unapprovedFile } from '../server/src/domain/access/unapproved-services.ts';
import { firstSignUpFile } from '../server/src/domain/access/first-sign-up.ts';

export interface Layout {
  data: string;
  /** Kept builds of Berth, one folder each. */
  releases: string;
  /** Link to the release that starts. */
  current: string;
  /** Variables of the Berth that starts (0600: may hold DATABASE_URL). */
  environment: string;
  /** The same of the last Berth that answered health: what an upgrade goes back to. */
  healthyEnvironment: string;
  /** What an unfinished upgrade had found, so that an interrupted one can still go back. */
  upgrade: string;
  /** What Berth's upgrade found to reach the machine without an approval. */
  unapproved: string;
  database: string;
  key: string;
  backups: string;
  logs: string;
  berthLog: string;
  engineLog: string;
  /** Process records of what bin/up started itself. */
  berthProcess: string;
  engineProcess: string;
  probe: string;
  /** Hash of the token for the first account. */
  firstSignUp: string;
  example: string;
  exampleRepository: string;
  credentials: string;
}

export function layoutOf(data: string): Layout {
  const run = join(data, 'run');
  const logs = join(data, 'logs');
  const example = join(data, 'example');
  return {
    data,
    releases: join(data, 'releases'),
    current: join(data, 'current'),
    environment: join(data, 'berth.env'),
    healthyEnvironment: join(data, 'healthy.env'),
    upgrade: join(run, 'upgrade.json'),
    unapproved: join(data, unapprovedFile),
    database: join(data, 'berth.sqlite'),
    key: join(data, 'berth.key'),
    backups: join(data, 'backups'),
    logs,
    berthLog: join(logs, 'berth.log'),
    engineLog: join(logs, 'engine.log'),
    berthProcess: join(run, 'berth.json'),
    engineProcess: join(run, 'engine.json'),
    probe: join(data, 'probe', 'busybox'),
    firstSignUp: join(data, firstSignUpFile),
    example,
    exampleRepository: join(example, 'hello'),
    credentials: join(example, 'credentials.json'),
  };
}
