/** A whole small world for tests of procedures: people, places and a server with some routers. */
import { afterEach } from 'vitest';
import type { Database } from '../../../server/src/db/database.ts';
import type { Router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { clientOf, type InterfaceClient } from '../interface-client.ts';
import { createPeople, type People, type Person } from '../people.ts';
import { createPlace, type Place } from '../places.ts';
import { serve, type ServeOptions, type TestServer } from '../serve.ts';

export interface World {
  database: Database;
  server: TestServer;
  people: People;
  /** Of the first organization. */
  place: Place;
  /** Of the other one. */
  foreign: Place;
  owner: InterfaceClient;
  admin: InterfaceClient;
  member: InterfaceClient;
  /** Owner of the other organization. */
  stranger: InterfaceClient;
  /** Without credentials. */
  nobody: InterfaceClient;
  /** A client with a new session of the person instead of the key. */
  session(person: Person): Promise<InterfaceClient>;
}

/** Gives a function that makes such a world in a fresh database; servers end with their test. */
export function worlds({
  open,
}: TestDatabase): (routers: (database: Database) => Router[], options?: ServeOptions) => Promise<World> {
  const servers: TestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return async (routers, options) => {
    const database = await open();
    const people = await createPeople(database, options?.clock);
    const [place, foreign] = [
      await createPlace(database, people.owner, 'Shop'),
      await createPlace(database, people.stranger, 'Rival'),
    ];
    const server = await serve(database, routers(database), options);
    servers.push(server);
    return {
      database,
      server,
      people,
      place,
      foreign,
      nobody: clientOf(server),
      session: async (person) =>
        clientOf(server, { ...person, headers: await people.session(person, server.url) }),
      owner: clientOf(server, people.owner),
      admin: clientOf(server, people.admin),
      member: clientOf(server, people.member),
      stranger: clientOf(server, people.stranger),
    };
  };
}
