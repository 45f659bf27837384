/**
 * Files of the corpus as they live: run by real docker compose on an engine, and by Berth on another one,
 * with a program that tells what its container is like. The same, or the person is told. The ordinary run
 * takes some of them, `--long` all.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { corpus, type CorpusFile } from '../../compose/judge/corpus.ts';
import { ours } from '../../compose/judge/ours.ts';
import { dockerCompose } from '../../compose/judge/program.ts';
import { livingOf } from '../../compose/lived/living.ts';
import { unlike } from '../../compose/lived/unlike.ts';
import { ofThisRun } from '../../run/mode.ts';
import { docker, output } from '../fixtures/applications.ts';
import { berthSide, buildReporter, composeSide, type ComposeSide, type Side } from './sides.ts';

/** Engines on each side; a deployment mostly waits. */
const lanes = 3;
/** One file in so many in the ordinary run. */
const share = 40;
let image: string;
let places: { theirs: ComposeSide; own: Side }[];

beforeAll(async () => {
  const bed = await bedOfRun();
  const program = await dockerCompose(AbortSignal.timeout(600_000));
  const { open } = await bed.registries();
  image = `${open}/report:1`;
  places = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const name = `compose-${lane}`;
      const [host, own] = await Promise.all([
        bed.host(name, { index: 70 + lane, engine: true, images: true }),
        berthSide(bed, `lived-${lane}`, 60 + lane),
      ]);
      await (lane === 0 ? buildReporter(host, image) : output(host, docker, 'version'));
      return { theirs: await composeSide(host, program), own };
    }),
  );
});
afterAll(async () => {
  for (const { theirs, own } of places ?? []) await Promise.all([theirs.end(), own.end()]);
});

interface Verdict {
  outcome: 'equal' | 'told' | 'refused' | 'left out' | 'different';
  why: string[];
}

const fails = ({ name }: CorpusFile): boolean => /^(?:life|lived):/.test(name);

async function verdictOf(
  file: CorpusFile,
  project: string,
  { theirs, own }: { theirs: ComposeSide; own: Side },
): Promise<Verdict> {
  const [config, plan] = await Promise.all([theirs.config(project, file.files), ours(file)]);
  if (typeof plan === 'string')
    return { outcome: typeof config === 'string' ? 'refused' : 'told', why: [plan] };
  if (typeof config === 'string') return { outcome: 'different', why: [`docker compose refuses: ${config}`] };
  const living = livingOf(file.files, config, image);
  const meant = theirs.live(project, living, { fails: fails(file) });
  const [compose, berth] = await Promise.all([
    meant,
    own.live(project, living, {
      fails: fails(file),
      back: meant.then((outcome) => (typeof outcome === 'string' ? [] : outcome.back)),
    }),
  ]);
  if (typeof compose === 'string') return { outcome: 'left out', why: [`docker compose: ${compose}`] };
  if (typeof berth === 'string')
    // Constraints are nothing to docker compose, and the engine's to judge.
    return { outcome: /No server takes it: /.test(berth) ? 'told' : 'different', why: [`Berth: ${berth}`] };
  const { silent, told } = unlike(living, compose, berth);
  if (silent.length > 0) return { outcome: 'different', why: silent };
  return { outcome: told.length > 0 ? 'told' : 'equal', why: told };
}

/** A run of some files alone, by an expression on their names: `BERTH_LIVED='^storage:'`. */
const wanted = RegExp(process.env['BERTH_LIVED'] ?? '');
const files = corpus
  .map((file, index) => ({ file, project: `lived-${index}` }))
  .filter(({ file }) => wanted.test(file.name));

it(
  'lives as docker compose lets it, or the person is told',
  async () => {
    const waiting = [...ofThisRun(files, share)];
    const verdicts: (Verdict & { name: string })[] = [];
    await Promise.all(
      places.map(async (place) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const began = Date.now();
          const { file, project } = next;
          const verdict = await verdictOf(file, project, place).catch(
            (error: unknown): Verdict => ({ outcome: 'different', why: [String(error)] }),
          );
          verdicts.push({ ...verdict, name: file.name });
          const seconds = Math.round((Date.now() - began) / 1000);
          console.log(`${file.name}: ${[verdict.outcome, ...verdict.why].join('\n  ')} (${seconds} s)`);
        }
      }),
    );
    const of = (outcome: Verdict['outcome']) => verdicts.filter((verdict) => verdict.outcome === outcome);
    console.log(
      (['equal', 'told', 'refused', 'left out', 'different'] as const)
        .map((outcome) => `${of(outcome).length} ${outcome === 'refused' ? 'refused by both' : outcome}`)
        .join(', '),
    );
    for (const { name, why } of of('left out')) console.log(`left out: ${name}: ${why.join(' ')}`);
    expect(of('different').map(({ name, why }) => `${name}: ${why.join('\n')}`)).toEqual([]);
  },
  2 * 3_600_000,
);
