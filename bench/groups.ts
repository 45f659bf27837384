/** The groups of figures that can be measured by themselves: what each shows and what it needs. */
import type { Bench } from './bench.ts';
import type { Figure } from './figure.ts';
import { backupFigures } from './figures/backups.ts';
import { builderFigures } from './figures/builders.ts';
import { deploymentFigures } from './figures/deployments.ts';
import { domainFigures } from './figures/domains.ts';
import { manyServersFigures } from './figures/many-servers.ts';
import { packingFigures } from './figures/packing.ts';
import { serverFigures } from './figures/servers.ts';
import { sizingFigures } from './figures/sizing.ts';
import { trivialServiceFigures } from './services/trivial-services.ts';
import {
  commandFigures,
  eventFigures,
  largeFigure,
  logFigures,
  pageFigures,
  postgresFigures,
  requestFigures,
} from './installations.ts';

/**
 * `built`: the server as the product runs it, bundled into `dist` first. `bed`: root, for engines
 * in namespaces of their own, with images made from Debian's packages.
 */
export type Need = 'built' | 'bed' | 'nothing';

interface Group {
  summary: string;
  needs: Need;
  figures(bench: Bench): Promise<Figure[]>;
}

export const groups = {
  requests: {
    summary: 'start, memory, reads, changes and lists with 1,000 services, beside node:http by hand',
    needs: 'built',
    figures: async (bench) => [...(await requestFigures(bench)), await largeFigure(bench)],
  },
  postgres: {
    summary: 'reads on PostgreSQL, beside the same on SQLite (root)',
    needs: 'built',
    figures: postgresFigures,
  },
  logs: { summary: 'the end of a log of 1 GB, beside tail -n', needs: 'built', figures: logFigures },
  events: {
    summary: '200 open streams of events: memory, and the time of a change that all hear',
    needs: 'built',
    figures: eventFigures,
  },
  command: {
    summary: 'first output of the command line, beside a bare Node',
    needs: 'built',
    figures: commandFigures,
  },
  dashboard: {
    summary: 'the dashboard in Chromium with 1,000 services and a log of 1,000,000 lines, beside React alone',
    needs: 'built',
    figures: pageFigures,
  },
  packing: {
    summary: 'a folder of 20,000 files packed for an upload, beside tar on the same folder',
    needs: 'nothing',
    figures: packingFigures,
  },
  many: {
    summary: '100 simulated servers: memory, the cost of a quiet minute, the slowest answer',
    needs: 'built',
    figures: manyServersFigures,
  },
  deployments: {
    summary: "Berth's own share of a deployment, beside the engine asked by hand",
    needs: 'bed',
    figures: ({ root, say }) => deploymentFigures(root, say),
  },
  trivial: {
    summary: 'from the call to the end of the deployment of services that do next to nothing',
    needs: 'bed',
    figures: ({ root, say }) => trivialServiceFigures(root, say),
  },
  sizing: {
    summary: 'the smallest memory on which bin/up --example works',
    needs: 'bed',
    figures: ({ say }) => sizingFigures(say),
  },
  servers: {
    summary:
      "a server's engine through SSH, images that travel, deployments there, beside Berth's own machine; " +
      'its agent with 50 containers',
    needs: 'bed',
    figures: ({ root, say }) => serverFigures(root, say),
  },
  builders: {
    summary: 'a build in the builder of an organization, beside the engine itself',
    needs: 'bed',
    figures: ({ say }) => builderFigures(say),
  },
  backups: {
    summary: 'a backup and a restore, beside the dump program itself',
    needs: 'bed',
    figures: ({ root, say }) => backupFigures(root, say),
  },
  domains: {
    summary: 'from a change of a domain to its answer',
    needs: 'bed',
    figures: ({ root, say }) => domainFigures(root, say),
  },
} as const satisfies Record<string, Group>;

export type GroupName = keyof typeof groups;

export const groupNames = Object.keys(groups).filter((name): name is GroupName => name in groups);
