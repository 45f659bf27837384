/** Makes what is missing for a new service and deploys it. */
import { ask, queue, type Answer, type Input, type Path } from '../live/api.ts';
import { pathOf, type DatabaseKind, type ServiceKind } from '../live/services.ts';
import { named, procedureOf } from '../service/service.ts';
import { makeDatabase } from './make-database.ts';

export type Kind = 'git' | 'upload' | 'image' | 'template' | 'database' | 'compose';

export interface Values {
  name: string;
  environmentId: string;
  project: string;
  url: string;
  branch: string;
  image: string;
  file: string;
  composePath: string;
  databaseKind: DatabaseKind;
  archive?: File | undefined;
  template?: Answer<'template.one'> | undefined;
  host: string;
  /** Hosts of the further domains of the template. */
  hosts: Readonly<Record<string, string>>;
  /** Variables of the template. */
  variables: Readonly<Record<string, string>>;
}

/** The page to look at, and why the service that was made does not deploy. */
export interface Begun {
  target: string;
  refusal?: unknown;
}

/** A source that is refused leaves nothing behind; a refused deployment leads to the service it is of. */
export async function make(kind: Kind, values: Values): Promise<Begun> {
  const environmentId = values.environmentId || (await newProject(values.project));
  const { made, id, deploy } = await makers[kind]({ ...values, environmentId });
  const page = pathOf({ kind: made, id });
  try {
    const deploymentId = await deploy();
    return { target: deploymentId ? `/deployments/${deploymentId}?new=yes` : page };
  } catch (error) {
    return { target: page, refusal: error };
  }
}

/** Once for a name while the page is open: after a refusal the next press goes on in the same project. */
const begunProjects = new Map<string, string>();

async function newProject(name: string): Promise<string> {
  const begun = begunProjects.get(name);
  if (begun !== undefined) return begun;
  const { environment } = await ask('project.create', { name });
  begunProjects.set(name, environment.environmentId);
  return environment.environmentId;
}

interface Made {
  made: ServiceKind;
  id: string;
  /** Resolves to the id of the deployment. */
  deploy: () => Promise<string | undefined>;
}

const makers: Record<Kind, (values: Values) => Promise<Made>> = {
  async database({ databaseKind, name, environmentId, image }) {
    const id = await makeDatabase(databaseKind, { name, environmentId, image });
    return {
      made: databaseKind,
      id,
      deploy: () => queue(procedureOf(databaseKind, 'deploy'), named(databaseKind, id) as Input<Path>),
    };
  },
  async compose({ name, environmentId, file, url, branch, composePath }) {
    const { composeId } = await ask('compose.create', {
      name,
      environmentId,
      ...(url === '' ? { composeFile: file } : { customGitUrl: url, customGitBranch: branch, composePath }),
    });
    return { made: 'compose', id: composeId, deploy: () => queue('compose.deploy', { composeId }) };
  },
  template: fromTemplate,
  git: ({ url, branch, ...values }) => newApplication(values, { customGitUrl: url, customGitBranch: branch }),
  image: ({ image, ...values }) => newApplication(values, { containerImage: image }),
  async upload({ archive, ...values }) {
    if (!archive) throw new Error('Drop a folder or an archive first.');
    const { id, made } = await newApplication(values, {});
    return { made, id, deploy: () => queue('application.dropDeployment', { applicationId: id }, archive) };
  },
};

async function newApplication(
  { name, environmentId }: Pick<Values, 'name' | 'environmentId'>,
  source: Pick<Input<'application.create'>, 'customGitUrl' | 'customGitBranch' | 'containerImage'>,
): Promise<Made> {
  const { applicationId } = await ask('application.create', {
    name,
    environmentId,
    withDomain: true,
    ...source,
  });
  return {
    made: 'application',
    id: applicationId,
    deploy: () => queue('application.deploy', { applicationId }),
  };
}

async function fromTemplate({
  name,
  environmentId,
  template,
  host,
  hosts,
  variables,
}: Values): Promise<Made> {
  if (!template) throw new Error('Choose a template first.');
  const { composeId, deploymentId } = await ask('template.create', {
    template: template.name,
    ...(template.catalogue && { templateCatalogueId: template.catalogue.templateCatalogueId }),
    name,
    environmentId,
    ...(host === '' ? {} : { host }),
    hosts: Object.fromEntries(Object.entries(hosts).filter(([, one]) => one !== '')),
    variables: { ...variables },
  });
  return { made: 'compose', id: composeId, deploy: () => Promise.resolve(deploymentId) };
}
