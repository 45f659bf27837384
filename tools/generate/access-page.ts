import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { callers, outcomeOf, ruleOf, type CallerName } from './access-table.ts';

const explanation = [
  'Computed from what each procedure declares; a test calls every procedure as every caller and compares. ' +
    'The caller names things of the first organization.',
  '',
  "- **yes**: the handler is reached. **own**: likewise, and shows or changes only what the caller's " +
    'organization has, or what is assigned to the member.',
  '- **part**: the member gets of it what is assigned; 403 when that is nothing.',
  '- **401**, **403**: refused before the handler. A bad, an expired and a revoked key are all 401.',
  '- *Member*: nothing granted, nothing assigned. *Member of other projects*: every grant, but what is ' +
    'named is not assigned. *Member with grants*: every grant, and it is.',
  '- *Owner elsewhere*: Owner of another organization.',
  "- *host reach*: Owner or Admin of the installation's organization or of a trusted one, " +
    'and, for services on a trusted server, of the one that it belongs to; with a narrowed ' +
    'key only when it names the action `hostReach`; anybody else is refused with 403, by that value alone. ' +
    'A test sends it as each of them.',
  '- *Ids*: input fields that name a thing. In each of them a thing of another organization is 403, one ' +
    'that does not exist is 404.',
].join('\n');

/** Bad, expired and revoked keys are one column for the reader; the test has them apart. */
const columns: readonly (readonly CallerName[])[] = [
  ['nobody'],
  ['badKey', 'expiredKey', 'revokedKey'],
  ['narrowedKey'],
  ['member'],
  ['elsewhere'],
  ['granted'],
  ['admin'],
  ['owner'],
  ['stranger'],
];

/** Title and sections of the page. */
export function accessPage(procedures: readonly NamedProcedure[]): [string, string[]] {
  return [
    'Access',
    [
      explanation,
      ...[...Map.groupBy(procedures, ({ router }) => router)].map(([router, own]) => section(router, own)),
    ],
  ];
}

function section(router: string, procedures: readonly NamedProcedure[]): string {
  const heads = columns.map((names) =>
    names.length === 1 ? names.map((name) => callers[name]).join() : 'no good key',
  );
  return [
    `## ${router}`,
    '',
    `| procedure | for | ${heads.join(' | ')} | ids |`,
    `|---|---|${columns.map(() => '---|').join('')}---|`,
    ...procedures.map(
      (one) =>
        `| ${one.path.slice(router.length + 1)} | ${ruleOf(one.procedure.access)} | ` +
        `${columns.map((names) => outcomesOf(one, names)).join(' | ')} | ${idsOf(one)} |`,
    ),
  ].join('\n');
}

function outcomesOf(procedure: NamedProcedure, names: readonly CallerName[]): string {
  return [...new Set(names.map((name) => outcomeOf(procedure, name)))].join(', ');
}

function idsOf({ procedure }: NamedProcedure): string {
  return [...new Set(procedure.access.resources.map(({ field }) => field))].join(', ');
}
