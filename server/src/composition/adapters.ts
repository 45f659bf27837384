/** Every adapter of this server. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAccessLog } from '../adapters/access-log/access-log.ts';
import { createBuilder } from '../adapters/builder/builder.ts';
import { createFileLogs } from '../adapters/deployment-log/file-log.ts';
import { createEngineView } from '../adapters/engine/engine-view.ts';
import { createSwarmEngine } from '../adapters/engine/swarm.ts';
import { createNameResolver } from '../adapters/dns/name-resolver.ts';
import { createUploads } from '../adapters/archive/uploads.ts';
import { createWorkFiles } from '../adapters/files/work-files.ts';
import { createObjectStores } from '../adapters/object-store/stores.ts';
import { createGitApis } from '../adapters/git-api/git-apis.ts';
import { createGit } from '../adapters/git/cli.ts';
import { createCaddyProxy, type CaddyProxyOptions } from '../adapters/proxy/caddy.ts';
import { createCaddyStore, storeFolder } from '../adapters/proxy/caddy-store.ts';
import { adminSocketName } from '../adapters/proxy/proxy-service.ts';
import { sshKeyPairs } from '../adapters/ssh/key-pairs.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';

export type Adapters = ReturnType<typeof createAdapters>;

/** `proxyEvents` is looked up when there is something to tell. */
export function createAdapters(
  config: Config,
  clock: Clock,
  proxyEvents: () => Required<Pick<CaddyProxyOptions, 'onNews' | 'onRequests' | 'beforeLoad'>>,
) {
  const folder = (name: string): string => {
    const path = join(config.data, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const proxyFolder = folder('proxy');
  const gitFolder = folder('git');
  return {
    folders: {
      work: folder('work'),
      composes: folder('composes'),
      backup: folder('backup-work'),
      proxy: proxyFolder,
      git: gitFolder,
    },
    engine: createSwarmEngine({ socketPath: config.engineSocket, clock }),
    engineView: createEngineView({ socketPath: config.engineSocket }),
    proxy: createCaddyProxy({
      adminSocket: join(proxyFolder, adminSocketName),
      publicHttpPort: config.httpPort,
      publicHttpsPort: config.httpsPort,
      onNews: (news) => proxyEvents().onNews(news),
      onRequests: (requests) => proxyEvents().onRequests(requests),
      beforeLoad: () => proxyEvents().beforeLoad(),
    }),
    accessLog: createAccessLog({ folder: folder('logs/access') }),
    proxyStore: createCaddyStore(join(proxyFolder, storeFolder)),
    objectStores: createObjectStores({ rclonePath: config.rclonePath, scratch: folder('object-store') }),
    git: createGit({
      gitPath: config.gitPath,
      scratchRoot: gitFolder,
      knownHostsPath: join(config.data, 'known_hosts'),
    }),
    gitApis: createGitApis(clock),
    builder: createBuilder({
      dockerPath: config.dockerCli,
      engineSocket: config.engineSocket,
      serverName: 'this server',
      staticImage: config.proxyImage,
    }),
    keyPairs: sshKeyPairs,
    names: createNameResolver(),
    files: createWorkFiles(),
    logs: createFileLogs(folder('logs'), clock),
    uploads: createUploads(folder('uploads')),
  };
}
