/** What a deployment would make of a compose file, said while the file is written. */
import { listed, uncovered, type Danger } from '../../../domain/access/danger.ts';
import { AppError } from '../../../domain/errors.ts';
import { createRedactor } from '../../../domain/secrets/redactor.ts';
import { composeVariables } from '../../../domain/variables/compose-variables.ts';
import type { ComposeRecord } from '../../../db/tables.ts';
import { dangersOfPlan } from '../../host-reach/dangers.ts';
import type { PublishedPorts } from '../../port/port.ts';
import { planOfRaw, type Around, type RawCompose } from './judging.ts';
import type { ComposePlan, PlannedService } from '../translation/plan.ts';
import { isWebPort, requirePortsOnce, unpublishedNote, withoutWebPorts } from '../translation/ports.ts';

/** A compose service that is there already, whose variables, files and place count. */
export interface Place {
  compose: ComposeRecord;
  around: Around;
  approved: readonly Danger[];
}

export interface Check {
  composeFile: string;
  /** Variables in the place of those that are stored. */
  env: string | undefined;
  place: Place | undefined;
  /** Whether the caller may read what variables hold. */
  readsSecrets: boolean;
}

export interface CheckParts {
  webPorts: readonly number[];
  requireFreePort: PublishedPorts['requireFree'];
}

export interface Finding {
  /** `refusal`: a deployment is refused; `approval`: it waits for one; `note`: something to know. */
  kind: 'refusal' | 'approval' | 'note';
  /** From 1; null where it is about no line of the file. */
  line: number | null;
  text: string;
}

export interface Judgement {
  /** In the order in which they are deployed; none of a file that is refused. */
  services: string[];
  isSavable: boolean;
  isDeployable: boolean;
  findings: Finding[];
}

const field = 'composeFile';
const mostFindings = 200;
const longestText = 1000;

/** Judges the file without saving it, and without an engine or an image. */
export async function checkFile(parts: CheckParts, check: Check): Promise<Judgement> {
  const { composeFile, env, place, readsSecrets } = check;
  if (composeFile.trim() === '') return { services: [], isSavable: true, isDeployable: false, findings: [] };
  const compose: RawCompose = {
    createEnvFile: place?.compose.createEnvFile ?? false,
    composeFile,
    env: env ?? place?.compose.env ?? '',
    secretEnv: place?.compose.secretEnv ?? '',
  };
  const { requireSavable } = await import('./saved-file.ts');
  const unsavable = await refusalOf(async () => requireSavable(composeFile, compose.env));
  const hidden = readsSecrets ? [] : variablesOf(compose, place);
  let planned: Planned | undefined;
  const refused =
    unsavable ??
    (await refusalOf(async () => {
      planned = await plan(parts, { compose, place }, (value) => hidden.push(value));
    }));
  const hide = createRedactor(hidden);
  const found =
    refused === undefined
      ? findingsOf(planned, { ...parts, approved: place?.approved ?? [] })
      : [refusedBy(refused, place)];
  const lineIn = await linesIn(composeFile);
  const findings = found.map(
    ({ kind, text }): Finding => ({
      kind,
      line: lineIn(text),
      text: hide(plainOf(text)).slice(0, longestText),
    }),
  );
  return {
    services: planned?.plan.services.map(({ name }) => name) ?? [],
    isSavable: unsavable === undefined,
    isDeployable: refused === undefined && findings.every(({ kind }) => kind === 'note'),
    findings: findings.slice(0, mostFindings),
  };
}

type Said = Pick<Finding, 'kind' | 'text'>;

interface Planned {
  plan: ComposePlan;
  /** Its services without ports of the proxy and of Berth itself. */
  published: PlannedService[];
}

/** The plan, and no port that is another's. */
async function plan(
  { webPorts, requireFreePort }: CheckParts,
  { compose, place }: { compose: RawCompose; place: Place | undefined },
  onReference: (value: string) => void,
): Promise<Planned> {
  const around = place?.around ?? { blocks: { project: '', environment: '' }, mounts: [] };
  const whole = await planOfRaw(compose, around, onReference);
  const published = whole.services.map(withoutWebPorts(webPorts));
  const found = { plan: whole, published };
  requirePortsOnce(field, published);
  if (place === undefined) return found;
  const { composeId: holderId, organizationId, serverId } = place.compose;
  for (const { name, ports } of published)
    for (const { published: port, protocol } of ports)
      await requireFreePort({
        port,
        protocol,
        field: `services.${name}.ports`,
        organizationId,
        serverId,
        holderId,
      });
  return found;
}

/** What a service that is not there yet refers to may be there once it is. */
const refusedBy = (text: string, place: Place | undefined): Said =>
  place === undefined && text.includes('${{')
    ? { kind: 'note', text: 'References such as ${{project.NAME}} are looked up once the service exists.' }
    : { kind: 'refusal', text };

function findingsOf(
  planned: Planned | undefined,
  { webPorts, approved }: Pick<CheckParts, 'webPorts'> & Pick<Place, 'approved'>,
): Said[] {
  if (planned === undefined) return [];
  const { plan: whole, published } = planned;
  const waiting = uncovered(dangersOfPlan({ ...whole, services: published }), approved);
  return [
    ...waiting.map(
      (danger): Said => ({
        kind: 'approval',
        text:
          `services.${danger.service}: ${listed([danger])}. An Owner or Admin with host reach has to ` +
          'approve this before it is deployed.',
      }),
    ),
    ...[
      ...whole.services.flatMap(({ name, ports }) =>
        ports.filter(isWebPort(webPorts)).map((port) => unpublishedNote(name, port)),
      ),
      ...whole.notes,
    ].map((text): Said => ({ kind: 'note', text })),
  ];
}

/** The sentence of a refusal; undefined without one. */
async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function variablesOf(compose: RawCompose, place: Place | undefined): string[] {
  if (place === undefined) return [];
  try {
    return Object.values(composeVariables(compose, place.around.blocks).all);
  } catch (error) {
    // Then there is no plan whose sentences could have them.
    if (error instanceof AppError) return [compose.env, place.compose.secretEnv];
    throw error;
  }
}

/** Without the name of the field, which whoever writes the file sees. */
const plainOf = (text: string): string => text.replace(/^composeFile: (?:line \d+: )?/, '');

const namedKey = /\b(?:services|volumes|networks|configs|secrets|include)\.[^\s:,()]+/;

/** Finds the line that a sentence is about: the one that it names, else that of the key that it names. */
async function linesIn(text: string): Promise<(sentence: string) => number | null> {
  const { linesOf } = await import('../compose-file.ts');
  let lineOf: ReturnType<typeof linesOf>;
  try {
    lineOf = linesOf(text);
  } catch {
    // The library throws for text that is too deep, which is refused by then.
    return () => null;
  }
  return (sentence) => {
    const named = /^composeFile: .{0,40}?\bline (\d+)/.exec(sentence)?.[1];
    if (named !== undefined) return Number(named);
    const path = namedKey.exec(sentence)?.[0].split('.') ?? [];
    for (; path.length > 0; path.pop()) {
      const line = lineOf(path);
      if (line !== undefined) return line;
    }
    return null;
  };
}
