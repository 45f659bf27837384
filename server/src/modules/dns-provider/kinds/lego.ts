/** All other providers, by the program lego on Berth's machine; it sets records of challenges, no others. */
import { z } from 'zod';
import { AppError, badField } from '../../../domain/errors.ts';
import { parseHost } from '../../../domain/names/names.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { parseEnv } from '../../../domain/variables/dotenv.ts';
import { ruled } from '../../../procedure/input/ruled.ts';
import { defineKind } from './kind.ts';

/** They need a person beside them, or run what a variable names. */
const refusedProviders: ReadonlySet<string> = new Set(['manual', 'exec']);

export const lego = defineKind({
  label: 'lego (all other providers)',
  rights:
    'The program lego on the machine of Berth (Debian: apt-get install lego), and the variables that it ' +
    'names for the provider, with a credential that may change TXT records of _acme-challenge names alone',
  source: 'https://go-acme.github.io/lego/dns/',
  fields: {
    provider: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "must be lego's code of a provider, such as infomaniak")
      .describe('Code that lego has for the provider'),
    zones: z
      .array(ruled(z.string().min(1).max(253, { abort: true }), (text) => parseHost(text, 'zones')))
      .min(1)
      .max(100)
      .describe('Zones that the provider serves'),
    environment: z
      .string()
      .min(1)
      .max(20_000)
      .describe("Variables of the provider in lego's documentation, one NAME=value a line; never shown"),
    awaitsNameServers: z
      .boolean()
      .describe('Whether lego waits until the name servers of the zone have the record, by their port 53')
      .default(true),
  },
  secrets: ['environment'],
  example: {
    provider: 'infomaniak',
    zones: ['example.com'],
    environment: 'INFOMANIAK_ACCESS_TOKEN=a-token-of-its-own',
    awaitsNameServers: true,
  },
  origin: ({ provider }) => `lego's provider ${provider}`,
  check({ provider, environment }, field) {
    if (refusedProviders.has(provider))
      throw badField(
        `${field}.provider`,
        `cannot be ${provider}, which needs a person or runs a program; use the code of a DNS provider`,
      );
    for (const { name } of parseEnv(environment, `${field}.environment`)) requireVariable(name, field);
  },
  connect: ({ zones }) => ({
    find: async (candidates) => {
      const name = candidates.find((candidate) => zones.includes(candidate));
      return name === undefined ? undefined : { id: name, name };
    },
    read: () => Promise.reject(forChallengesOnly()),
    add: () => Promise.reject(forChallengesOnly()),
    remove: () => Promise.reject(forChallengesOnly()),
  }),
  program: ({ provider, environment, awaitsNameServers }) => ({
    provider,
    awaitsNameServers,
    environment: Object.fromEntries(
      parseEnv(environment).map(({ name, value }) => [name, new Secret(value)]),
    ),
  }),
});

/** Of the program itself, of its loader and runtime, or a file of Berth's machine that would be read. */
const refusedVariables = /^(PATH|HOME|LANG|GODEBUG|NO_PROXY|HTTPS?_PROXY|(LEGO|LD|SSL)_.*|.*_FILE)$/i;

function requireVariable(name: string, field: string): void {
  const path = `${field}.environment`;
  if (!/^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name)) throw badField(path, `"${name}" is no name of a variable`);
  if (!refusedVariables.test(name)) return;
  throw badField(
    path,
    name.toUpperCase().endsWith('_FILE')
      ? `may not name a file, as ${name} does; give the value itself in ${name.slice(0, -'_FILE'.length)}`
      : `may not set ${name}, which is not the provider's`,
  );
}

function forChallengesOnly(): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    'lego sets the records of certificates alone. Set the records of domains at the DNS provider by hand.',
  );
}
