/**
 * Variables that a shell and docker compose give to every file: the folder that it lies in, the home of
 * whoever runs it, the name of its project. Here there is no such shell. Pure.
 */
import type { YamlMap } from '../../compose-file.ts';

/** Places whose texts are paths beside the file. */
const ofPath = /^(?:services\.[^.]+\.(?:volumes|build|env_file)|configs|secrets|volumes)(?:\.|$)/;
const paths: Readonly<Record<string, string>> = { PWD: '.', HOME: '~' };

/** The value at a place of a variable that nobody set; `top` is the file's top level. */
export const shellVariables =
  (top: YamlMap) =>
  (name: string, where: string): string | undefined => {
    if (Object.hasOwn(paths, name)) return ofPath.test(where) ? paths[name] : undefined;
    const project: unknown = name === 'COMPOSE_PROJECT_NAME' ? top.get('name') : undefined;
    return typeof project === 'string' && !project.includes('$') ? project : undefined;
  };
