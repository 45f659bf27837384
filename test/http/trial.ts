/** A small router with one procedure of every kind, for tests of the transport. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';
import type { CallContext } from '../../server/src/procedure/context.ts';
import { listOf, pageInput, paginate } from '../../server/src/procedure/input/page.ts';
import { logEvent, type LogEvent } from '../../server/src/procedure/log-event.ts';
import {
  mutation,
  query,
  subscription,
  upload,
  type Handlers,
  type StreamEvent,
} from '../../server/src/procedure/procedure.ts';
import { router, type Router } from '../../server/src/procedure/registry.ts';

const everybody = { class: 'protected', resources: [] } as const;
const echo = z.object({
  text: z.string().optional(),
  count: z.number().int().optional(),
  flag: z.boolean().optional(),
  list: z.array(z.string()).optional(),
  nothing: z.string().nullish(),
});

/** Whether its events are those that go to several readers. */
const isShared = z.boolean().default(false);

export const trialContract = {
  echo: query({ summary: 'Answers its input', access: everybody, input: echo, output: echo }),
  absent: query({ summary: 'Answers nothing', access: everybody, input: z.object({}), output: z.null() }),
  all: query({
    summary: 'Three letters',
    access: everybody,
    input: z.object(pageInput),
    output: listOf(z.string()),
  }),
  create: mutation({
    summary: 'Keeps a name',
    access: everybody,
    input: z.object({
      name: z.string().min(2, 'must have at least 2 characters'),
      size: z.number().max(9).optional(),
    }),
    output: z.object({ thingId: z.string(), name: z.string() }),
  }),
  touch: mutation({
    summary: 'Needs no input',
    access: everybody,
    input: z.object({ note: z.string().optional() }),
    output: z.object({ note: z.string().nullable() }),
  }),
  adminOnly: query({
    summary: 'For Owner and Admin',
    access: { class: 'admin', resources: [] },
    input: z.object({}),
    output: z.literal('welcome'),
  }),
  sessionOnly: mutation({
    summary: 'For sessions',
    access: { ...everybody, sessionOnly: true },
    input: z.object({}),
    output: z.literal('welcome'),
  }),
  crash: query({ summary: 'Fails inside', access: everybody, input: z.object({}), output: z.null() }),
  refuse: query({ summary: 'Refuses flatly', access: everybody, input: z.object({}), output: z.null() }),
  busy: query({ summary: 'Asks to come back', access: everybody, input: z.object({}), output: z.null() }),
  lines: subscription({
    summary: 'Counts',
    access: everybody,
    output: logEvent,
    input: z.object({
      count: z.number().int().default(3),
      failAt: z.number().int().optional(),
      pauseMs: z.number().default(0),
      isShared,
    }),
  }),
  flood: subscription({
    summary: 'Never ends',
    access: everybody,
    input: z.object({ isShared }),
    output: logEvent,
  }),
  quiet: subscription({
    summary: 'Says one line, then waits for its end',
    access: everybody,
    input: z.object({}),
    output: logEvent,
  }),
  ofProject: subscription({
    summary: 'Says one line of a project, then waits for its end',
    access: { class: 'protected', resources: [{ kind: 'project', field: 'projectId' }] },
    input: z.object({ projectId: z.string() }),
    output: logEvent,
  }),
  receive: upload({
    summary: 'Counts the bytes of a file',
    access: everybody,
    input: z.object({ label: z.string().min(1), level: z.number().optional() }),
    output: z.object({
      label: z.string(),
      level: z.number().nullable(),
      fileName: z.string(),
      bytes: z.number(),
    }),
  }),
};

export interface TrialState {
  /** Names kept. */
  names: string[];
  /** Lines that `flood` has made. */
  flooded: number;
  /** How many calls of `flood` have ended. */
  floodsEnded: number;
  /** Streams that ended because their reader was gone. */
  abandoned: number;
  /** Bytes of uploads that came. */
  received: number;
}

export function createTrial(): { router: Router; state: TrialState } {
  const state: TrialState = { names: [], flooded: 0, floodsEnded: 0, abandoned: 0, received: 0 };
  return { router: router('trial', trialContract, trialHandlers(state)), state };
}

const lineOf = (line: number, text: string, isShared: boolean): StreamEvent<LogEvent> => ({
  id: String(line),
  data: { type: 'line', text },
  ...(isShared ? { isShared } : {}),
});

function trialHandlers(state: TrialState): Handlers<typeof trialContract, CallContext> {
  return {
    echo: async (_context, input) => input,
    absent: async () => null,
    all: async (_context, input) => paginate(['a', 'b', 'c'], input, (item) => item),
    create: ({ write }, { name }) =>
      write(async () => {
        state.names.push(name);
        return { thingId: `thing ${state.names.length}`, name };
      }),
    touch: async (_context, { note }) => ({ note: note ?? null }),
    adminOnly: async () => 'welcome',
    sessionOnly: async () => 'welcome',
    crash: async () => {
      throw new Error('SELECT "passwordHash" FROM "user" in /var/lib/berth');
    },
    refuse: async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'The server is not part of a swarm.', {
        reason: 'Swarm not available',
      });
    },
    busy: async () => {
      throw new AppError('TOO_MANY_REQUESTS', 'Come back.', { retryAfterMs: 1500 });
    },
    async *lines({ lastEventId }, { count, failAt, pauseMs, isShared }) {
      for (let line = Number(lastEventId ?? 0) + 1; line <= count; line += 1) {
        if (line === failAt) throw new AppError('NOT_FOUND', 'The log is gone.');
        if (pauseMs > 0) await pause(pauseMs);
        yield lineOf(line, `line ${line}`, isShared);
      }
      yield { id: String(count + 1), data: { type: 'end', outcome: 'done' } };
    },
    async *flood({ signal }, { isShared }) {
      try {
        for (; !signal.aborted; state.flooded += 1) yield lineOf(state.flooded, 'x'.repeat(10_000), isShared);
      } finally {
        state.floodsEnded += 1;
      }
    },
    async *quiet({ signal, follow }) {
      yield { id: '1', data: { type: 'line', text: 'first' } };
      if (follow)
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      state.abandoned += 1;
    },
    async *ofProject({ signal }) {
      yield { id: '1', data: { type: 'line', text: 'first' } };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      state.abandoned += 1;
    },
    async receive(_context, { label, level }, { fileName, content }) {
      let bytes = 0;
      for await (const chunk of content) state.received = bytes += Buffer.from(chunk).length;
      return { label, level: level ?? null, fileName, bytes };
    },
  };
}
