/**
 * Every setting of the installation, once: its rule, its value before anybody sets it, and who may set it.
 * Pure.
 */
import { parseRelease } from '../../domain/builder-programs.ts';
import { z } from 'zod';
import { controlCharacters } from '../../domain/text/control-characters.ts';
import { parseCron } from '../../domain/time/cron.ts';
import { platformPrefix } from '../../domain/names/image-reference.ts';
import { isAllowableNetwork } from '../../domain/network/outgoing.ts';
import { isNetworkPool, isResolver } from '../../domain/network/network.ts';
import { parseOwnHost } from '../../domain/access/own-host.ts';
import { parseRootCertificates } from '../../domain/certificates/root-certificates.ts';
import { parseCpus, parseMemory } from '../../domain/resources/resources.ts';
import { isTrustedProxy } from '../../domain/routing/trusted-proxies.ts';
import { parseSharedImage } from '../../domain/names/shared-images.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { baseDomainName } from '../base-domain/contract-field.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

interface Field<T extends z.ZodType> {
  rule: T;
  initial: z.output<T>;
  /** Who may change it: what reaches into the server's files, engine and networks is the Owner's. */
  by: 'owner' | 'admin';
}

function field<T extends z.ZodType>(by: Field<T>['by'], rule: T, initial: z.output<T>): Field<T> {
  return { rule, initial, by };
}

const address = z.union([z.ipv4(), z.ipv6()], 'must be an IP address');
const bytes = z
  .number()
  .int()
  .min(MiB)
  .max(1024 * GiB);

/** A part of a path that is neither `.` nor `..`. */
const segment =
  `(?:[^./${controlCharacters}]|\\.[^./${controlCharacters}]|\\.\\.[^/${controlCharacters}])` +
  `[^/${controlCharacters}]*`;

/** Absolute and in its shortest form; not the root, which would open every file. */
const folder = z
  .string()
  .max(1000)
  .regex(
    new RegExp(`^(?:/${segment})+$`),
    'must be an absolute path such as /srv/git, without "..", and not "/"',
  );

export const settingFields = {
  host: field(
    'owner',
    ruled(z.string().max(1024, { abort: true }), parseOwnHost)
      .nullable()
      .meta({
        description:
          'Host name of Berth itself: the proxy serves it over https, with an uploaded certificate of the ' +
          "installation's organization that covers it, else one of the authority; plain HTTP sign-in is " +
          'then possible only on the machine itself. null: none',
        examples: ['berth.example.com'],
      }),
    null,
  ),
  serverIp: field(
    'admin',
    address.nullable().describe('Address that domains of this installation point to'),
    null,
  ),
  baseDomain: field(
    'admin',
    baseDomainName.nullable().meta({
      description:
        "Domain below which services on Berth's own machine are named by themselves, such as " +
        'apps.example.com: the DNS record of *.apps.example.com must lead to this machine. null: test ' +
        'names of sslip.io',
      examples: [null],
    }),
    null,
  ),
  cloud: field(
    'owner',
    z.boolean().describe('Whether every service needs a server of its own (cloud installation)'),
    false,
  ),
  tenantsMayCreateOrganizations: field(
    'owner',
    z
      .boolean()
      .describe(
        "Whether Owners and Admins of other organizations than the installation's first one may create " +
          'organizations (organization.create); what they create shares the quota of the organization from ' +
          'which they did. Existing organizations stay as they are either way',
      ),
    false,
  ),
  acmeEmail: field(
    'admin',
    z.email('must be an e-mail address').max(254).nullable().describe('Contact for certificates'),
    null,
  ),
  acmeDirectory: field(
    'admin',
    z
      .url({ protocol: /^https$/, error: 'must be an https address' })
      .max(500)
      .nullable()
      .describe("ACME directory; null: the proxy's own"),
    null,
  ),
  acmeRoots: field(
    'admin',
    ruled(z.string().max(100_000, { abort: true }), parseRootCertificates)
      .nullable()
      .meta({
        description: 'PEM; roots to verify the HTTPS of a private directory; null: the public roots',
        examples: [null],
      }),
    null,
  ),
  dnsResolver: field(
    'admin',
    z
      .string()
      .max(60)
      .refine(isResolver, 'must be an IP address, with a port if it is not 53')
      .nullable()
      .describe("Resolver that domains are checked with; null: the server's own"),
    null,
  ),
  buildMemory: field(
    'owner',
    ruled(z.string().max(30), parseMemory).describe('Memory of one build, such as 2g'),
    '2g',
  ),
  buildCpu: field(
    'owner',
    ruled(z.string().max(30), parseCpus).describe('CPU cores of one build, such as 1.5'),
    '2',
  ),
  buildsConcurrency: field(
    'owner',
    z.number().int().min(1).max(32).describe('Concurrent builds on a server'),
    1,
  ),
  unreachableWait: field(
    'admin',
    z
      .number()
      .int()
      .min(0)
      .max(1440)
      .describe('Minutes that a deployment waits for a server that cannot be reached'),
    30,
  ),
  uploadLimit: field('admin', bytes.describe('Bytes of an upload, packed'), GiB / 2),
  uploadUnpackedLimit: field('admin', bytes.describe('Bytes of an upload, unpacked'), 2 * GiB),
  uploadEntriesLimit: field(
    'admin',
    z.number().int().min(1).max(10_000_000).describe('Files and folders in an upload'),
    100_000,
  ),
  logLimit: field(
    'admin',
    bytes.describe(
      'Bytes of the log of one deployment or backup; a longer one keeps its beginning and its end, and ' +
        'says how much is left out between them',
    ),
    64 * MiB,
  ),
  logAnswerLimit: field(
    'admin',
    bytes.describe(
      "Newest bytes of a log or of a service's output in one answer; a line says when there was more. A " +
        'live stream gives everything',
    ),
    8 * MiB,
  ),
  runOutputLimit: field(
    'admin',
    bytes.describe(
      'Bytes of output that application.run returns; of longer output the beginning and the end, with a ' +
        'line between them that says how much is left out',
    ),
    4 * MiB,
  ),
  endedOutputDays: field(
    'admin',
    z
      .number()
      .int()
      .min(1)
      .max(365)
      .describe('Days that the output of tasks which ended stays readable (service.endedTasks)'),
    7,
  ),
  endedOutputLimit: field(
    'admin',
    bytes.describe(
      'Bytes of output of ended tasks that are kept of each service, the oldest tasks going first; of one ' +
        'task its newest lines, up to a quarter of it',
    ),
    16 * MiB,
  ),
  streamLimit: field(
    'admin',
    z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .describe('Live streams that one user may have open at once, across all sessions and keys'),
    50,
  ),
  localRepositoryPaths: field(
    'owner',
    z.array(folder).max(50).describe('Folders of this server that git repositories may be taken from'),
    [],
  ),
  networkPool: field(
    'owner',
    z
      .string()
      .max(20)
      .refine(
        isNetworkPool,
        'must be a private IPv4 network of /8 to /20, such as 10.192.0.0/12, with no bits beyond its prefix',
      )
      .describe(
        'Range that the networks of environments are taken from, /24 each; existing networks keep theirs',
      ),
    '10.192.0.0/12',
  ),
  allowedPrivateNetworks: field(
    'owner',
    z
      .array(
        z
          .string()
          .max(50)
          .refine(
            isAllowableNetwork,
            'must be a network of private or loopback addresses, such as 10.1.0.0/16, with no bits beyond ' +
              'its prefix',
          ),
      )
      .max(50)
      .describe(
        "Private and loopback networks that every organization's git hosts, registries, buckets, webhooks " +
          "and callbacks may be in; the installation's own organization, and trusted ones, reach all " +
          'private ones, except by webhooks and callbacks',
      ),
    [],
  ),
  trustedProxies: field(
    'owner',
    z
      .array(
        z
          .string()
          .max(100)
          .refine(isTrustedProxy, 'must be cloudflare, fastly, private, an address or a network'),
      )
      .max(500)
      .describe(
        "Proxies in front of Berth's own whose X-Forwarded headers services get, for domains that " +
          'name none of their own: cloudflare, fastly, private, addresses and networks',
      ),
    [],
  ),
  sharedImages: field(
    'owner',
    z
      .array(ruled(z.string().max(300), parseSharedImage))
      .max(200)
      .describe(
        'Images on the servers that every organization may run although no registry serves them: a name ' +
          'with its tag, a name without one for all its tags, or the beginning of names ending in a ' +
          'slash, such as team/. What set-up builds is named berth/…. Every other image must belong to the ' +
          'organization: served to it by its registry, or built for it',
      ),
    [platformPrefix],
  ),
  builderReleases: field(
    'owner',
    z
      .array(ruled(z.string().max(500), parseRelease))
      .max(20)
      .describe(
        'Releases of nixpacks, railpack and pack that the set-up of a server installs there: addresses of ' +
          'archives (.tar.gz, .tgz) or programs, each verified by <address>.sha256 or by checksums.txt in ' +
          'its folder. What is installed there already stays as it is',
      ),
    [],
  ),
  minFreeDisk: field(
    'owner',
    z
      .number()
      .int()
      .min(0)
      .max(1024 * GiB)
      .describe(
        'Bytes of disk that stay free: builds, uploads, backups into a folder and restores are refused, ' +
          'with both numbers, when less would be left',
      ),
    2 * GiB,
  ),
  keptImages: field(
    'owner',
    z.number().int().min(1).max(100).describe('Images kept for each application, for rollbacks'),
    5,
  ),
  keptDeployments: field(
    'owner',
    z
      .number()
      .int()
      .min(100)
      .max(100_000)
      .describe('Deployments kept for each service with their logs; clean-ups remove older ones'),
    500,
  ),
  cleanupSchedule: field(
    'owner',
    ruled(z.string().max(200), parseCron)
      .nullable()
      .meta({
        description: 'When clean-ups run automatically, as a cron expression in UTC; null: only by hand',
        examples: ['0 4 * * *'],
      }),
    '0 4 * * *',
  ),
  formerVolumeDays: field(
    'owner',
    z
      .number()
      .int()
      .min(1)
      .max(3650)
      .nullable()
      .describe(
        'Days after which clean-ups remove the volumes that restores and upgrades of databases left; ' +
          'null: never',
      ),
    null,
  ),
} as const satisfies Record<string, Field<z.ZodType>>;

export type Settings = { [K in keyof typeof settingFields]: z.output<(typeof settingFields)[K]['rule']> };
export type SettingName = keyof Settings;

type Shape = { [K in SettingName]: (typeof settingFields)[K]['rule'] };

/** The rules alone, as the shape of a schema. */
export const settingShape = asShape(
  Object.fromEntries(Object.entries(settingFields).map(([name, { rule }]) => [name, rule])),
);

/** Entries keep names and rules together; the compiler cannot follow that. */
function asShape(rules: Record<string, z.ZodType>): Shape {
  return rules as Shape;
}
