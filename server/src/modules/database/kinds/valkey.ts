/** Valkey keeps to what Redis 7.2 does, and its image has the programs of both names. */
import { redisServer } from './redis.ts';
import type { DatabaseServer } from './server.ts';

export const valkeyServer: DatabaseServer = {
  ...redisServer,
  versionVariables: ['VALKEY_VERSION'],
  version: (output) => /^valkey_version:(\d+(?:\.\d+)*)/m.exec(output)?.[1] ?? redisServer.version(output),
};
