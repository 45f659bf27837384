/** CapRover: its list of apps (`appDefinitions` of its interface), or one `captain-definition`. */
import { fieldsOf, parseJson } from '../connection/config.ts';
import type { Fields } from '../file/kinds.ts';
import { UsageError } from '../usage-error.ts';
import {
  databaseOfImage,
  dataNote,
  textOf,
  type Imported,
  type ImportedService,
  type ReadFile,
} from './imported.ts';

const definition = 'captain-definition';

export async function importCaprover(
  read: ReadFile,
  given: string | undefined,
  name: string,
): Promise<Imported> {
  const path = given ?? definition;
  const text = await read(path);
  if (text === undefined)
    throw new UsageError(`There is no ${path} here. Name the file: berth import caprover FILE.`);
  const content = fieldsOf(parseJson(text));
  const notes: string[] = [];
  const data = fieldsOf(content['data']);
  const list = content['appDefinitions'] ?? data['appDefinitions'];
  if (content['schemaVersion'] !== undefined)
    return {
      project: name,
      services: { [name]: { kind: 'application', ...ofDefinition(content, notes) } },
      notes,
    };
  if (!Array.isArray(list))
    throw new UsageError(`${path} is neither a captain-definition nor a list of apps (appDefinitions).`);
  const root = textOf(content['rootDomain'] ?? data['rootDomain']);
  const services: Record<string, ImportedService> = {};
  for (const app of list.map(fieldsOf)) services[textOf(app['appName'])] = ofApp(app, root, notes);
  return { project: name, services, notes };
}

function ofDefinition(content: Fields, notes: string[]): Fields {
  const image = textOf(content['imageName']);
  if (image !== '') return { sourceType: 'container', containerImage: image };
  const dockerfile = textOf(content['dockerfilePath']).replace(/^\.\//, '');
  if (dockerfile !== '') return { sourceType: 'drop', buildType: 'dockerfile', dockerfile };
  if (content['dockerfileLines'] !== undefined)
    notes.push('dockerfileLines was left out: write the lines into a Dockerfile.');
  else
    notes.push(
      `The template ${textOf(content['templateId'])} has no counterpart; the builder detects what the ` +
        'folder contains.',
    );
  return { sourceType: 'drop' };
}

function ofApp(app: Fields, root: string, notes: string[]): ImportedService {
  const key = textOf(app['appName']);
  const list = (field: string): Fields[] => (Array.isArray(app[field]) ? app[field].map(fieldsOf) : []);
  const version = list('versions').find((one) => one['version'] === app['deployedVersion']);
  const image = textOf(version?.['deployedImageName']);
  const isOwnBuild = image === '' || image.includes('captain') || image.startsWith('img-');
  const database = isOwnBuild ? undefined : databaseOfImage(image);
  if (database !== undefined) {
    notes.push(dataNote(key), `${key}: it gets a new password and the address \${{${key}.URL}}.`);
    return { kind: database, containerImage: image };
  }
  const repository = fieldsOf(fieldsOf(app['appPushWebhook'])['repoInfo']);
  const variables = list('envVars').map(
    ({ key: variable, value }) => [textOf(variable), textOf(value)] as const,
  );
  for (const { hostPath } of list('volumes'))
    if (hostPath) notes.push(`${key}: the folder ${textOf(hostPath)} of the server was left out.`);
  for (const field of [
    'preDeployFunction',
    'customNginxConfig',
    'serviceUpdateOverride',
    'httpAuth',
    'redirectDomain',
  ])
    if (app[field] !== undefined && app[field] !== '' && app[field] !== null)
      notes.push(`${key}: ${field} has no counterpart here and was left out.`);
  const mounts = list('volumes').flatMap(({ volumeName, containerPath }) =>
    volumeName ? [{ mountPath: textOf(containerPath), type: 'volume', volumeName: textOf(volumeName) }] : [],
  );
  if (mounts.length > 0) notes.push(dataNote(key));
  const ports = list('ports').map(({ hostPort, containerPort }) => ({
    publishedPort: Number(hostPort),
    targetPort: Number(containerPort),
  }));
  const domains = domainsOf(app, root, list('customDomain'));
  return {
    kind: 'application',
    ...sourceOf(isOwnBuild ? '' : image, repository, key, notes),
    ...(typeof app['instanceCount'] === 'number' ? { replicas: app['instanceCount'] } : {}),
    ...(variables.length === 0 ? {} : { variables: Object.fromEntries(variables) }),
    ...(mounts.length === 0 ? {} : { mounts }),
    ...(ports.length === 0 ? {} : { ports }),
    ...(domains.length === 0 ? {} : { domains }),
  };
}

function sourceOf(image: string, { repo, branch }: Fields, key: string, notes: string[]): Fields {
  if (textOf(repo) !== '') {
    const address = textOf(repo);
    const url = /^(https?:|ssh:|git@)/.test(address) ? address : `https://${address}`;
    notes.push(
      `${key}: the sign-in for ${address} was left out; a private repository needs an SSH ` +
        'key (customGitSSHKeyId).',
    );
    return { sourceType: 'git', customGitUrl: url, customGitBranch: textOf(branch) || 'main' };
  }
  if (image !== '') return { sourceType: 'container', containerImage: image };
  notes.push(`${key}: its image was built there; \`berth deploy\` in its folder sends the source.`);
  return { sourceType: 'drop' };
}

function domainsOf(app: Fields, root: string, custom: readonly Fields[]): Fields[] {
  if (app['notExposeAsWebApp'] === true) return [];
  const port = Number(app['containerHttpPort']) || 80;
  const secure = (hasSsl: unknown): Fields =>
    hasSsl === true ? { https: true, certificateType: 'acme' } : {};
  const own =
    root === ''
      ? []
      : [{ host: `${textOf(app['appName'])}.${root}`, port, ...secure(app['hasDefaultSubDomainSsl']) }];
  return [
    ...own,
    ...custom.map(({ publicDomain, hasSsl }) => ({ host: textOf(publicDomain), port, ...secure(hasSsl) })),
  ];
}
