/** The difference between a file and Berth, as steps in the order in which they are done. */
import { parseBaseDomain } from '../../server/src/domain/routing/base-domain.ts';
import { formatEnv } from '../../server/src/domain/variables/dotenv.ts';
import type {
  FileEnvironment,
  FileService,
  FileVariables,
} from '../../server/src/modules/berth-file/record.ts';
import { fieldsOf } from '../connection/config.ts';
import { serviceKinds } from '../words/parts/services.ts';
import type { Caller } from './caller.ts';
import {
  readInstalled,
  readService,
  type Installed,
  type InstalledEnvironment,
  type InstalledService,
} from './installed.ts';
import { createNames, type NamedDatabase, type Names } from './names.ts';
import { createService, isDatabaseKind, planService, splitVariables } from './plan-service.ts';
import { defaultEnvironment, type WholeFile } from './read-file.ts';
import { unknownDatabases } from './unknown-databases.ts';
import { shown, variableChanges, type Change, type Plan, type Step } from './steps.ts';

export interface PlanOptions {
  /** Removes services and environments that are not in the file. */
  prune: boolean;
}

/** What is to be done, and what is deployed when it is done. */
export interface WholePlan extends Plan {
  /** Services of the file, in the order in which they are deployed. */
  deployable: readonly Deployable[];
  names: Names;
}

export interface Deployable {
  /** `application shop/web`. */
  what: string;
  kind: FileService['kind'];
  environment: string;
  key: string;
}

export async function planFile(caller: Caller, file: WholeFile, options: PlanOptions): Promise<WholePlan> {
  const names = createNames(caller);
  const installed = await readInstalled(caller, file.project, names);
  const making = new Making(caller, names, file, options);
  await making.project(installed);
  return making.plan();
}

interface WantedPlace {
  description?: string | undefined;
  baseDomain?: string | null | undefined;
  variables?: FileVariables | undefined;
}

/** As Berth stores it, so that `*.Apps.example.com` is no difference. */
const plainBaseDomain = (text: string | null): string | null => (text ? parseBaseDomain(text) : null);

/** Kinds in the order in which they are made: an application may refer to a database. */
const order = (kind: FileService['kind']): number => (isDatabaseKind(kind) ? 0 : kind === 'compose' ? 1 : 2);

class Making {
  readonly #caller: Caller;
  readonly #names: Names;
  readonly #file: WholeFile;
  readonly #options: PlanOptions;
  readonly #removals: Step[] = [];
  readonly #places: Step[] = [];
  readonly #services: { at: number; steps: Step[] }[] = [];
  readonly #pruned: Step[] = [];
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];
  readonly #deployable: Deployable[] = [];

  constructor(caller: Caller, names: Names, file: WholeFile, options: PlanOptions) {
    this.#caller = caller;
    this.#names = names;
    this.#file = file;
    this.#options = options;
  }

  plan(): WholePlan {
    const services = this.#services.toSorted((one, other) => one.at - other.at).flatMap(({ steps }) => steps);
    return {
      steps: [...this.#removals, ...this.#places, ...services, ...this.#pruned],
      problems: this.#problems,
      notes: this.#notes,
      deployable: this.#deployable.toSorted((one, other) => order(one.kind) - order(other.kind)),
      names: this.#names,
    };
  }

  async project(installed: Installed | undefined): Promise<void> {
    const { project: name, description, baseDomain, variables } = this.#file;
    const what = `project ${name}`;
    const ids = { projectId: installed?.projectId ?? '' };
    if (!installed)
      this.#places.push({
        action: 'create',
        what,
        changes: [],
        cause: 'nothing',
        run: async () => {
          const made = fieldsOf(await this.#caller('project.create', { name }));
          ids.projectId = String(fieldsOf(made['project'])['projectId']);
          const { environmentId } = fieldsOf(made['environment']);
          this.#names.environments.set(defaultEnvironment, String(environmentId));
        },
      });
    this.#place(what, { description, baseDomain, variables }, installed, (input) =>
      this.#caller('project.update', { ...ids, ...input }),
    );
    const there = new Map((installed?.environments ?? []).map((one) => [one.name, one]));
    for (const [environment, wanted] of Object.entries(this.#file.environments)) {
      await this.#environment(environment, wanted, there.get(environment), ids);
      there.delete(environment);
    }
    for (const left of there.values()) this.#leftEnvironment(left);
    this.#problems.push(...unknownDatabases(this.#file, this.#names.databases));
  }

  /** Description and variables of a project or environment, and the base domain of a project. */
  #place(
    what: string,
    wanted: WantedPlace,
    present: (Pick<Installed, 'description' | 'variables'> & Partial<Installed>) | undefined,
    update: (input: Record<string, unknown>) => Promise<unknown>,
  ): void {
    const changes: Change[] = [];
    const input: Record<string, unknown> = {};
    const { description, baseDomain, variables } = wanted;
    if (description !== undefined && description !== (present?.description ?? '')) {
      changes.push({
        field: 'description',
        from: shown(present?.description),
        to: shown(description),
        cause: 'nothing',
      });
      input['description'] = description;
    }
    const domain = baseDomain === undefined ? undefined : plainBaseDomain(baseDomain);
    if (domain !== undefined && domain !== (present?.baseDomain ?? null)) {
      const [from, to] = [shown(present?.baseDomain), shown(domain)];
      changes.push({ field: 'baseDomain', from, to, cause: 'nothing' });
      input['baseDomain'] = domain;
    }
    if (variables !== undefined) {
      const { plain } = splitVariables(variables);
      const differing = variableChanges(plain, present?.variables ?? new Map(), 'new release');
      if (differing.length > 0) input['env'] = formatEnv(Object.fromEntries(plain));
      changes.push(...differing);
    }
    if (changes.length === 0) return;
    const cause = changes.some((change) => change.cause === 'new release') ? 'new release' : 'nothing';
    this.#places.push({
      action: 'change',
      what,
      changes,
      cause,
      run: async () => void (await update(input)),
    });
  }

  async #environment(
    name: string,
    wanted: FileEnvironment,
    present: InstalledEnvironment | undefined,
    project: { projectId: string },
  ): Promise<void> {
    const what = `environment ${this.#file.project}/${name}`;
    if (!present && name !== defaultEnvironment)
      this.#places.push({
        action: 'create',
        what,
        changes: [],
        cause: 'nothing',
        run: async () => {
          const made = fieldsOf(
            await this.#caller('environment.create', {
              ...project,
              name,
            }),
          );
          this.#names.environments.set(name, String(made['environmentId']));
        },
      });
    this.#place(what, wanted, present, (input) =>
      this.#caller('environment.update', { environmentId: this.#environmentId(name), ...input }),
    );
    const left = new Set(present?.services ?? []);
    for (const [key, service] of Object.entries(wanted.services ?? {})) {
      const there =
        present?.services.find((one) => one.key === key) ??
        present?.services.find((one) => one.appName === key);
      if (there) left.delete(there);
      else if (present?.services.some((one) => one.name === key))
        this.#problems.push(
          `${this.#nameOf(name, key)}: several services of the environment have this name. Identify the ` +
            'one you mean by its appName.',
        );
      await this.#service(name, key, service, there);
    }
    if (wanted.services !== undefined) for (const service of left) this.#leftService(name, service);
  }

  #environmentId(name: string): string {
    return this.#names.environments.get(name) ?? '';
  }

  #nameOf(environment: string, key: string): string {
    const { project } = this.#file;
    return environment === defaultEnvironment ? `${project}/${key}` : `${project}/${environment}/${key}`;
  }

  async #service(
    environment: string,
    key: string,
    wanted: FileService,
    present: InstalledService | undefined,
  ): Promise<void> {
    const what = `${wanted.kind} ${this.#nameOf(environment, key)}`;
    const parts = { caller: this.#caller, names: this.#names.within(environment) };
    if (present && present.kind !== wanted.kind) {
      this.#problems.push(
        `${what}: in Berth it is of the kind ${present.kind}. A service cannot change its kind: give ` +
          'the new one another name, or remove the existing one.',
      );
      return;
    }
    this.#deployable.push({ what, kind: wanted.kind, environment, key });
    if (present) {
      const { removals, steps, problems, notes } = await planService(parts, what, wanted, present);
      this.#removals.push(...removals);
      this.#services.push({ at: order(wanted.kind), steps });
      this.#problems.push(...problems);
      this.#notes.push(...notes);
      return;
    }
    this.#services.push({ at: order(wanted.kind), steps: [this.#creation(what, environment, key, wanted)] });
    for (const name of splitVariables(wanted.variables ?? {}).secrets)
      this.#notes.push(`${what}: the secret variable ${name} is not set. \`berth secret set\` sets it.`);
  }

  /** One that was made and not finished is found by its name the next time, and the rest is a difference. */
  #creation(what: string, environment: string, key: string, wanted: FileService): Step {
    const parts = { caller: this.#caller, names: this.#names.within(environment) };
    const fields = Object.entries(wanted).filter(([field, value]) => field !== 'kind' && value !== undefined);
    return {
      action: 'create',
      what,
      cause: 'nothing',
      changes: fields.map(([field, value]) => ({
        field,
        to: field === 'variables' ? Object.keys(fieldsOf(value)).join(', ') : shown(value),
        cause: 'nothing',
      })),
      run: async () => {
        const environmentId = this.#environmentId(environment);
        const id = await createService(parts, {
          key,
          wanted,
          environmentId,
        });
        const made = await readService(this.#caller, parts.names, wanted.kind, id);
        if (!made) return;
        if (isDatabaseKind(wanted.kind)) this.#know(environment, { id, key, appName: made.appName });
        const { removals, steps } = await planService(parts, what, wanted, made);
        for (const step of [...removals, ...steps]) await step.run();
      },
    };
  }

  /** A database that was just made, which services after it may name. */
  #know(environment: string, database: NamedDatabase): void {
    const { databases } = this.#names;
    databases.set(environment, [...(databases.get(environment) ?? []), database]);
  }

  #leftService(environment: string, service: InstalledService): void {
    const what = `${service.kind} ${this.#nameOf(environment, service.key)}`;
    if (!this.#options.prune) {
      this.#notes.push(`${what} is not in the file; it stays. --prune removes it.`);
      return;
    }
    const isDatabase = isDatabaseKind(service.kind);
    const note = isDatabase ? 'with its data' : 'its volumes stay';
    this.#pruned.push({
      action: 'remove',
      what,
      cause: 'data loss',
      changes: [
        {
          field: 'service',
          cause: 'data loss',
          note: `removed, ${note}`,
        },
      ],
      run: async () =>
        void (await this.#caller(`${service.kind}.${isDatabase ? 'remove' : 'delete'}`, {
          [serviceKinds[service.kind].id]: service.id,
        })),
    });
  }

  #leftEnvironment(environment: InstalledEnvironment): void {
    const what = `environment ${this.#file.project}/${environment.name}`;
    if (environment.isDefault && environment.services.length === 0) return;
    if (!this.#options.prune) {
      this.#notes.push(`${what} is not in the file; it stays. --prune removes it.`);
      return;
    }
    for (const service of environment.services) this.#leftService(environment.name, service);
    if (environment.isDefault) return;
    this.#pruned.push({
      action: 'remove',
      what,
      changes: [],
      cause: 'data loss',
      run: async () => void (await this.#caller('environment.remove', { environmentId: environment.id })),
    });
  }
}
