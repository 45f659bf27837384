/** Makes what is missing for a new service and deploys it; gives the page to look at. */
import { ask, send, type Answer } from '../live/api.ts';
import { pathOf, type DatabaseKind, type ServiceKind } from '../live/services.ts';
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
  /** Of the template. */
  variables: Readonly<Record<string, string>>;
}

export async function make(kind: Kind, values: Values): Promise<string> {
  const environmentId =
    values.environmentId || (await ask('project.create', { name: values.project })).environment.environmentId;
  const { made, id, owner } = await makers[kind]({ ...values, environmentId });
  const latest = await ask('deployment.latest', owner);
  return latest ? `/deployments/${latest.deploymentId}?new=yes` : pathOf({ kind: made, id });
}

interface Made {
  made: ServiceKind;
  id: string;
  owner: Record<string, string>;
}

const makers: Record<Kind, (values: Values) => Promise<Made>> = {
  async database({ databaseKind, name, environmentId }) {
    const id = await makeDatabase(databaseKind, name, environmentId);
    return { made: databaseKind, id, owner: { databaseId: id } };
  },
  async compose({ name, environmentId, file, url, branch, composePath }) {
    const isOfGit = url !== '';
    const { composeId } = await ask('compose.create', {
      name,
      environmentId,
      ...(isOfGit ? { sourceType: 'git' as const } : { composeFile: file, sourceType: 'raw' as const }),
    });
    if (isOfGit)
      await ask('compose.update', { composeId, customGitUrl: url, customGitBranch: branch, composePath });
    await ask('compose.deploy', { composeId });
    return { made: 'compose', id: composeId, owner: { composeId } };
  },
  template: fromTemplate,
  async git(values) {
    const applicationId = await newApplication(values);
    await ask('application.saveGitProvider', {
      applicationId,
      customGitUrl: values.url,
      customGitBranch: values.branch,
    });
    return deployed(applicationId);
  },
  async image(values) {
    const applicationId = await newApplication(values);
    await ask('application.saveContainerProvider', { applicationId, containerImage: values.image });
    return deployed(applicationId);
  },
  async upload(values) {
    if (!values.archive) throw new Error('Drop a folder or an archive first.');
    const applicationId = await newApplication(values);
    await send('application.dropDeployment', { applicationId }, values.archive);
    return { made: 'application', id: applicationId, owner: { applicationId } };
  },
};

async function newApplication({ name, environmentId }: Values): Promise<string> {
  return (await ask('application.create', { name, environmentId, withDomain: true })).applicationId;
}

async function deployed(applicationId: string): Promise<Made> {
  await ask('application.deploy', { applicationId });
  return { made: 'application', id: applicationId, owner: { applicationId } };
}

async function fromTemplate({ name, environmentId, template, host, variables }: Values): Promise<Made> {
  if (!template) throw new Error('Choose a template first.');
  const { composeId } = await ask('template.create', {
    template: template.name,
    name,
    environmentId,
    ...(host === '' ? {} : { host }),
    variables: { ...variables },
  });
  return { made: 'compose', id: composeId, owner: { composeId } };
}
