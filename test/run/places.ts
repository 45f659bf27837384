/**
 * On which machine the services of each suite run: on Berth's own, or on a server that Berth reaches over
 * SSH. A suite takes its places from here and is written once.
 */
import { isWhole } from './mode.ts';

export const placeNames = ['own machine', 'server'] as const;
export type PlaceName = (typeof placeNames)[number];

/** In every run, or only in one that leaves nothing out. */
type When = 'always' | 'long';

interface SuitePlaces {
  on: Record<PlaceName, When>;
  /** What does not run on a server, by the name that the suite has for it, and why. */
  notOnServer?: Readonly<Record<string, string>>;
}

export const suitePlaces = {
  lives: { on: { 'own machine': 'long', server: 'always' } },
  conformance: {
    on: { 'own machine': 'always', server: 'long' },
    notOnServer: {
      'domain.create (host and path are unique on a server)':
        'two organizations meet on one machine, and no two share a server',
      'server.all (server.all counts services)': 'it counts services on servers of which one has none',
      'service.metrics': 'a server has figures once its monitoring is set up',
    },
  },
  databases: { on: { 'own machine': 'always', server: 'long' } },
  backups: { on: { 'own machine': 'always', server: 'long' } },
  deploy: { on: { 'own machine': 'always', server: 'long' } },
  rolling: {
    on: { 'own machine': 'always', server: 'long' },
    notOnServer: {
      'requests are counted and logged': "those of Berth's own machine alone are (docs/guide/servers.md)",
    },
  },
  compose: { on: { 'own machine': 'always', server: 'long' } },
} as const satisfies Record<string, SuitePlaces>;
export type SuiteName = keyof typeof suitePlaces;

/** Where the suite runs in this run. */
export function placesOf(suite: SuiteName, environment = process.env): PlaceName[] {
  const { on } = suitePlaces[suite];
  return placeNames.filter((place) => on[place] === 'always' || isWhole(environment));
}

/** Whether this part of the suite runs at the place. */
export function runsAt(place: PlaceName, suite: SuiteName, part: string): boolean {
  const { notOnServer = {} }: SuitePlaces = suitePlaces[suite];
  return place === 'own machine' || !(part in notOnServer);
}
