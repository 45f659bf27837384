/** A compose file, taken as it is (`docker-compose.yml`, the .env beside it). */
import { parse } from 'yaml';
import { UsageError } from '../usage-error.ts';
import { fieldsOf } from '../connection/config.ts';
import { listOf, textOf, variablesOf, type Imported, type ReadFile } from './imported.ts';

const usualNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];

export async function importCompose(
  read: ReadFile,
  given: string | undefined,
  name: string,
): Promise<Imported> {
  let text: string | undefined;
  for (const path of given === undefined ? usualNames : [given]) text ??= await read(path);
  if (text === undefined)
    throw new UsageError(
      `There is no ${given ?? 'compose file'} here. Name the file: berth import compose FILE.`,
    );
  const content = fieldsOf(parse(text));
  const env = await read('.env');
  const notes: string[] = [];
  for (const [service, value] of Object.entries(fieldsOf(content['services']))) {
    const { build, ports, volumes, env_file: envFile } = fieldsOf(value);
    if (build !== undefined)
      notes.push(
        `${service}: it is built from a folder, which is not part of the file. Give it an image, or ` +
          'take the file from a repository (sourceType git).',
      );
    if (envFile !== undefined)
      notes.push(
        `${service}: env_file ${listOf(envFile).map(textOf).join(', ')} is not imported; give its ` +
          'variables to the service.',
      );
    for (const port of listOf(ports))
      notes.push(
        `${service}: the port ${textOf(port) || JSON.stringify(port)} is published directly, not ` +
          'through the proxy. For HTTP, give it a domain instead and remove the port.',
      );
    for (const volume of listOf(volumes).map((one) => textOf(one) || textOf(fieldsOf(one)['source'])))
      if (/^[/.~]/.test(volume))
        notes.push(
          `${service}: the folder ${volume.split(':')[0] ?? ''} of the server needs an approval; or use ` +
            'a volume instead.',
        );
  }
  const project = textOf(content['name']) || name;
  return {
    project,
    services: {
      [name]: {
        kind: 'compose',
        sourceType: 'raw',
        composeFile: text,
        ...(env === undefined ? {} : { variables: variablesOf(env) }),
      },
    },
    notes,
  };
}
