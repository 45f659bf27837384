/** Words that are one procedure and one table, or one procedure done to one service. */
import type { Client } from '../../../client/client.ts';
import { statusLook, statusWord } from '../../look.ts';
import type { Column } from '../../output/table.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from './context.ts';
import { allServices, isDatabase, nameOf, pick, serviceKinds, serviceOf, type Service } from './services.ts';
import type { ProcedureName, Word } from './word.ts';

/** A word that lists what a procedure answers. */
export function listWord<T>(row: {
  name: string;
  summary: string;
  procedure: ProcedureName;
  read(client: Client, context: Context): Promise<readonly T[] | { items: readonly T[] }>;
  columns(context: Context): readonly Column<NoInfer<T>>[];
  none: string;
  usage?: string;
  more?: readonly ProcedureName[];
}): Word {
  return {
    name: row.name,
    usage: row.usage ?? '',
    summary: row.summary,
    most: row.usage === undefined ? 0 : 1,
    calls: [row.procedure, ...(row.more ?? [])],
    async run(context) {
      const { client } = await context.berth();
      context.list(row.columns(context), itemsOf(await row.read(client, context)), row.none);
    },
  };
}

/** What is done to a service, by its kind; a kind without one is refused. */
export interface Action {
  application?: ActionCall;
  compose?: ActionCall;
  database?: ActionCall;
}

type ActionCall = (client: Client, service: Service) => Promise<unknown>;

/** A word that does one thing to each of the services named. */
export function actionWord(row: {
  name: string;
  summary: string;
  description?: string;
  calls: readonly ProcedureName[];
  action: Action;
  /** "Stopped", before the service's name. */
  done: string;
  /** What to do for a kind that the action is not for. */
  instead?: string;
}): Word {
  return {
    name: row.name,
    usage: '[service …]',
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    calls: ['project.all', ...row.calls],
    async run(context) {
      const { client } = await context.berth();
      const services: Service[] = [];
      for (const name of context.args.length > 0 ? context.args : [undefined])
        services.push(await serviceOf(context, name));
      const planned = services.map((service) => ({ service, call: callFor(row, service) }));
      for (const { service, call } of planned) {
        await call(client, service);
        context.say(`${row.done} ${nameOf(service)}.`);
      }
      if (!context.isJson) return;
      const now = await allServices(client);
      context.answer(
        services.map(({ id }) => summaryOf(pick(now, id))),
        () => '',
      );
    },
  };
}

function callFor(row: { name: string; action: Action; instead?: string }, service: Service): ActionCall {
  const call =
    row.action[isDatabase(service) ? 'database' : service.kind === 'compose' ? 'compose' : 'application'];
  if (!call)
    throw new UsageError(
      `\`berth ${row.name}\` is not for a ${service.kind} service such as ${nameOf(service)}.` +
        `${row.instead === undefined ? '' : ` ${row.instead}`}`,
    );
  return call;
}

/** A service as JSON answers have it. */
export function summaryOf(service: Service): Record<string, string> {
  return {
    service: nameOf(service),
    kind: service.kind,
    [serviceKinds[service.kind].id]: service.id,
    appName: service.appName,
    status: service.status,
    project: service.project.name,
    environment: service.environment.name,
  };
}

/** Columns that several tables have. */
export const statusColumn = ({ look }: Context): Column<{ status: string }> => ({
  title: 'status',
  value: ({ status }) => statusWord(status),
  look: statusLook(look),
});
