/**
 * Payloads of pull requests, of the shapes that each host documents, in random orders, late, twice and mixed
 * with those of other repositories: the preview ends as the newest state of the pull request says.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modeOf } from '../../../../../test/run/mode.ts';
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { providers } from '../../webhook/providers/providers.ts';
import { previewsInMemory } from '../../../../../test/store/previews-in-memory.ts';

const repository = 'acme/shop';
const wanted = 'preview';

/** A pull request after one more thing was done with it. */
interface State {
  done: 'open' | 'push' | 'title' | 'label' | 'unlabel' | 'away' | 'back' | 'close' | 'merge' | 'reopen';
  /** ISO 8601, whole seconds. */
  at: string;
  isOpen: boolean;
  base: string;
  labels: string[];
  commit: string;
}

interface Payload {
  /** Of the header that names the event. */
  event: string;
  body: unknown;
}

const ends = { close: true, merge: true } as const;

const asGithub =
  (synchronized: string, labels: { label: string; unlabel: string }) =>
  ({ done, at, isOpen, base, labels: names, commit }: State, number: number, full: string): Payload => ({
    event: 'pull_request',
    body: {
      action: {
        open: 'opened',
        push: synchronized,
        title: 'edited',
        label: labels.label,
        unlabel: labels.unlabel,
        away: 'edited',
        back: 'edited',
        close: 'closed',
        merge: 'closed',
        reopen: 'reopened',
      }[done],
      number,
      pull_request: {
        number,
        title: 'Fix the door',
        state: isOpen ? 'open' : 'closed',
        merged: done === 'merge',
        draft: false,
        updated_at: at,
        user: { id: 1, login: 'ada' },
        labels: names.map((name, id) => ({ id, name })),
        base: { ref: base, repo: { full_name: full } },
        head: { ref: 'door', sha: commit, repo: { full_name: full } },
      },
      repository: { full_name: full },
    },
  });

const asGitlab = ({ done, at, isOpen, base, labels, commit }: State, iid: number, full: string): Payload => ({
  event: 'Merge Request Hook',
  body: {
    object_kind: 'merge_request',
    project: { id: 14, path_with_namespace: full },
    labels: labels.map((title, id) => ({ id, title })),
    object_attributes: {
      id: 99,
      iid,
      title: 'Fix the door',
      action: { open: 'open', close: 'close', merge: 'merge', reopen: 'reopen' }[String(done)] ?? 'update',
      state: isOpen ? 'opened' : done === 'merge' ? 'merged' : 'closed',
      // As GitLab writes it.
      updated_at: at.replace('T', ' ').replace('.000Z', ' UTC'),
      source_branch: 'door',
      target_branch: base,
      source_project_id: 14,
      target_project_id: 14,
      author_id: 1,
      last_commit: { id: commit, message: 'Fix' },
    },
  },
});

const asBitbucket = ({ done, at, isOpen, base, commit }: State, id: number, full: string): Payload => ({
  event: `pullrequest:${
    { open: 'created', close: 'rejected', merge: 'fulfilled' }[String(done)] ?? 'updated'
  }`,
  body: {
    repository: { full_name: full },
    pullrequest: {
      id,
      title: 'Fix the door',
      state: isOpen ? 'OPEN' : done === 'merge' ? 'MERGED' : 'DECLINED',
      updated_on: at.replace('.000Z', '.000000+00:00'),
      author: { uuid: '{9-a}', nickname: 'ada' },
      source: { branch: { name: 'door' }, commit: { hash: commit }, repository: { full_name: full } },
      destination: {
        branch: { name: base },
        commit: { hash: '0'.repeat(12) },
        repository: { full_name: full },
      },
    },
  },
});

const shapes: Record<GitProvider, (state: State, number: number, full: string) => Payload> = {
  github: asGithub('synchronize', { label: 'labeled', unlabel: 'unlabeled' }),
  gitea: asGithub('synchronized', { label: 'label_updated', unlabel: 'label_cleared' }),
  gitlab: asGitlab,
  bitbucket: asBitbucket,
};
/** Bitbucket has no labels, and opens nothing again. */
const withoutLabels = new Set<GitProvider>(['bitbucket']);
const never: Record<GitProvider, readonly State['done'][]> = {
  github: [],
  gitea: [],
  gitlab: [],
  bitbucket: ['label', 'unlabel', 'reopen'],
};

/** What becomes of a pull request by each thing; undefined where the host does not let it. */
function after(state: State, done: State['done'], at: string, commit: string): State | undefined {
  if (!state.isOpen)
    return done === 'reopen' || done === 'label' || done === 'unlabel' || done === 'title'
      ? changed({ ...state, isOpen: done === 'reopen' }, done, at)
      : undefined;
  if (done === 'open' || done === 'reopen') return undefined;
  if (done === 'push') return { ...state, done, at, commit };
  return changed({ ...state, isOpen: !(done in ends) }, done, at);
}

const changed = (state: State, done: State['done'], at: string): State => ({
  ...state,
  done,
  at,
  base: done === 'away' ? 'next' : done === 'back' ? 'main' : state.base,
  labels: done === 'label' ? [wanted] : done === 'unlabel' ? [] : state.labels,
});

const lifeAt = (host: GitProvider): fc.Arbitrary<State[]> => {
  const all: State['done'][] = [
    'push',
    'title',
    'label',
    'unlabel',
    'away',
    'back',
    'close',
    'merge',
    'reopen',
  ];
  const things = all.filter((done) => !never[host].includes(done));
  return fc
    .array(fc.record({ done: fc.constantFrom(...things), gap: fc.integer({ min: 1, max: 900 }) }), {
      maxLength: 9,
    })
    .map((steps) => {
      let time = Date.parse('2026-01-02T10:00:00Z');
      const at = (): string => new Date(time).toISOString();
      const commitOf = (count: number): string => String(count).padStart(40, 'a');
      const states: State[] = [
        { done: 'open', at: at(), isOpen: true, base: 'main', labels: [], commit: commitOf(0) },
      ];
      for (const { done, gap } of steps) {
        time += gap * 1000;
        const last = states.at(-1);
        const next = last && after(last, done, at(), commitOf(states.length));
        if (next) states.push(next);
      }
      return states;
    });
};

/** What is delivered besides, which must change nothing. */
const stray = (host: GitProvider): fc.Arbitrary<Payload> =>
  fc.record({ isOther: fc.boolean(), done: fc.constantFrom('open' as const, 'close' as const) }).map(
    ({ isOther, done }): Payload =>
      isOther
        ? { event: host === 'gitlab' ? 'Note Hook' : 'issue_comment', body: { action: 'created' } }
        : shapes[host](
            {
              done,
              at: '2026-01-09T10:00:00.000Z',
              isOpen: done === 'open',
              base: 'main',
              labels: [wanted],
              commit: 'f'.repeat(40),
            },
            5,
            'other/thing',
          ),
  );

const delivered = fc.constantFrom<GitProvider>('github', 'gitea', 'gitlab', 'bitbucket').chain((host) =>
  lifeAt(host).chain((states) =>
    fc.record({
      host: fc.constant(host),
      states: fc.constant(states),
      wantsLabel: fc.boolean().map((wants) => wants && !withoutLabels.has(host)),
      // Each at least once, in any order, some again, with strangers and looks of the queue between them.
      order: fc
        .tuple(
          fc.shuffledSubarray(states, { minLength: states.length }),
          fc.array(fc.constantFrom(...states), { maxLength: 4 }),
        )
        .map(([once, again]) => [...once, ...again]),
      strays: fc.array(stray(host), { maxLength: 3 }),
      works: fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
    }),
  ),
);

it('previews end as the newest state of the pull request, in whatever order its events come', async () => {
  const { isLong, seed } = modeOf();
  await fc.assert(
    fc.asyncProperty(delivered, async ({ host, states, wantsLabel, order, strays, works }) => {
      const world = previewsInMemory(host, repository, wantsLabel ? [wanted] : []);
      const post = async ({ event, body }: Payload): Promise<void> => {
        for (const read of providers[host].read(event, body))
          if (read.kind === 'pullRequest') await world.receive(read satisfies PullRequestEvent);
      };
      for (const [index, state] of order.entries()) {
        const other = strays[index];
        if (other) await post(other);
        await post(shapes[host](state, 5, repository));
        if (works[index]) await world.workOnce();
      }
      await world.workAll();
      const last = states.at(-1);
      const isWanted =
        last?.isOpen === true && last.base === 'main' && (!wantsLabel || last.labels.includes(wanted));
      expect(world.shown()).toEqual(isWanted ? [{ number: 5, commit: last.commit }] : []);
    }),
    { numRuns: isLong ? 10_000 : 1_000, seed },
  );
});
